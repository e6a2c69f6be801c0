import { Hono } from 'hono'
import type { AppEnv } from '../../http/env.ts'
import { answerLasting, type Lasting, lasting } from '../../http/etag.ts'
import { type OpenApiDocument, printYaml } from './document.ts'

/** Prints at the first request, so that the start does not wait for a rarely used document. */
function printedOnce(print: () => string): () => Lasting {
  let printed: Lasting | undefined
  return () => {
    printed ??= lasting(print())
    return printed
  }
}

/** Serves `/openapi.json` and `/openapi.yaml`. */
export function documentRoutes(document: OpenApiDocument) {
  const router = new Hono<AppEnv>()
  const json = printedOnce(() => JSON.stringify(document, null, 2))
  const yaml = printedOnce(() => printYaml(document))
  router.get('/openapi.json', (c) =>
    answerLasting(c, json(), { 'Content-Type': 'application/json' }),
  )
  router.get('/openapi.yaml', (c) =>
    answerLasting(c, yaml(), { 'Content-Type': 'application/yaml' }),
  )
  return router
}
