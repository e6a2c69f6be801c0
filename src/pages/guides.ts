import { readdirSync } from 'node:fs'
import { extname } from 'node:path'
import { Hono } from 'hono'
import { notFound } from '../errors.ts'
import type { AppEnv } from '../http/env.ts'
import { answerLasting, type Lasting, lasting } from '../http/etag.ts'
import { answerFramed, baseOf, builtFile, builtFolder } from './frame.ts'

const index = '/docs/guide'

const fileHeaders: Readonly<Record<string, Record<string, string>>> = {
  png: { 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=86400' },
  json: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' },
  md: { 'Content-Type': 'text/markdown; charset=utf-8', 'Cache-Control': 'no-cache' },
  txt: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' },
}

/**
 * Serves the guides, which the build renders of the documents, and `/llms.txt`, which lists them
 * for programs. They need no script.
 * @param scriptFor the element of the script that searches and copies
 */
export function guideRoutes(scriptFor: (base: string) => string) {
  const router = new Hono<AppEnv>()
  const read = readOnce()
  const pageOf = (name: string) => {
    const part = read(`${name}.html`)
    if (part === undefined) return undefined
    const main = new TextDecoder().decode(part.bytes)
    return { title: titleOf(main), main }
  }
  router.get(`${index}/`, (c) => c.redirect('../guide', 308))
  const files = [`${index}/:file{[a-z-]+\\.(?:png|md|json)}`, '/:file{llms\\.txt}']
  router.on('GET', files, (c) => {
    const file = c.req.param('file') ?? ''
    const content = read(file)
    if (content === undefined) throw notFound(`There is nothing at ${c.req.path}`)
    return answerLasting(c, content, fileHeaders[extname(file).slice(1)] ?? {})
  })
  router.get(`${index}/:name{[a-z-]+}?`, (c) => {
    const { name = 'index' } = c.req.param()
    const page = c.req.path === `${index}/index` ? undefined : pageOf(name)
    if (page === undefined) throw notFound(`There is nothing at ${c.req.path}`)
    const script = scriptFor(baseOf(c.req.path))
    return answerFramed(c, c.req.path, { ...page, script, sheet: 'guides.css' })
  })
  return router
}

const titleOf = (main: string) =>
  /<h1[^>]*>(.*?)<\/h1>/.exec(main)?.[1]?.replace(/<[^>]*>/g, '') ?? ''

/** Reads the rendered files at the first request for one. @returns undefined for another name */
function readOnce(): (name: string) => Lasting | undefined {
  let files: ReadonlyMap<string, Lasting> | undefined
  return (name) => {
    files ??= new Map(
      readdirSync(builtFolder('guides')).map((each) => [
        each,
        lasting(builtFile(`guides/${each}`)),
      ]),
    )
    return files.get(name)
  }
}
