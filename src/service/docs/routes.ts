import { Hono } from 'hono'
import { type OpenApiDocument, printYaml } from './document.ts'

/** Prints at the first request, so that the start does not wait for a rarely used document. */
function printedOnce(print: () => string): () => string {
  let printed: string | undefined
  return () => {
    printed ??= print()
    return printed
  }
}

/** Serves `/openapi.json` and `/openapi.yaml`. */
export function documentRoutes(document: OpenApiDocument) {
  const router = new Hono()
  const json = printedOnce(() => JSON.stringify(document, null, 2))
  const yaml = printedOnce(() => printYaml(document))
  router.get('/openapi.json', (c) => c.body(json(), 200, { 'Content-Type': 'application/json' }))
  router.get('/openapi.yaml', (c) => c.body(yaml(), 200, { 'Content-Type': 'application/yaml' }))
  return router
}
