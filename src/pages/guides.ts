import { readdirSync } from 'node:fs'
import { Hono } from 'hono'
import { notFound } from '../errors.ts'
import { answerFramed, baseOf, builtFile, builtFolder } from './frame.ts'

const index = '/docs/guide'

const imageHeaders = {
  'Content-Type': 'image/png',
  'Cache-Control': 'public, max-age=86400',
}

/**
 * Serves the guides, which the build renders of the documents. They need no script.
 * @param scriptFor the element of the script that searches and copies
 */
export function guideRoutes(scriptFor: (base: string) => string) {
  const router = new Hono()
  const read = readOnce()
  const pageOf = (name: string) => {
    const main = read(`${name}.html`)?.toString()
    return main === undefined ? undefined : { title: titleOf(main), main }
  }
  router.get(`${index}/`, (c) => c.redirect('../guide', 308))
  router.get(`${index}/:file{[a-z-]+\\.png}`, (c) => {
    const image = read(c.req.param('file'))
    if (image === undefined) throw notFound(`There is nothing at ${c.req.path}`)
    return c.body(new Uint8Array(image), 200, imageHeaders)
  })
  router.get(`${index}/index.json`, (c) => {
    const sections = new Uint8Array(read('index.json') ?? [])
    return c.body(sections, 200, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-cache',
    })
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
function readOnce(): (name: string) => Buffer | undefined {
  let files: ReadonlyMap<string, Buffer> | undefined
  return (name) => {
    files ??= new Map(
      readdirSync(builtFolder('guides')).map((each) => [each, builtFile(`guides/${each}`)]),
    )
    return files.get(name)
  }
}
