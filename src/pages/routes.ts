import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { notFound } from '../errors.ts'
import type { PageDefinition } from './page-definition.ts'
import { pages } from './pages.ts'
import { libraryScript, readScripts, type Script } from './scripts.ts'
import { pagePolicy, printPage } from './shell.tsx'

/** Serves the web pages and their scripts. Their data comes from the API. */
export function pageRoutes() {
  const router = new Hono()
  const scripts = readOnce()
  for (const page of pages) {
    router.get(page.path, (c) => answerPage(c, page, scripts()))
    if (page.path.includes(':')) continue
    const name = page.path.slice(page.path.lastIndexOf('/'))
    router.get(`${page.path}/`, (c) => c.redirect(`..${name}`, 308))
  }
  router.get('/scripts/:file{[\\w-]+\\.[0-9a-f]+\\.js}', (c) => {
    const wanted = c.req.param('file')
    const found = [...scripts().values()].find(({ file }) => file === wanted)
    if (found === undefined) throw notFound(`There is nothing at ${c.req.path}`)
    return c.body(found.source, 200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    })
  })
  return router
}

/** Reads the scripts at the first request for a page. */
function readOnce() {
  let read: ReadonlyMap<string, Script> | undefined
  return () => {
    read ??= readScripts(pages.map(({ island }) => island))
    return read
  }
}

function answerPage(c: Context, page: PageDefinition, scripts: ReadonlyMap<string, Script>) {
  const depth = page.path.split('/').length - 2
  const html = printPage({
    content: page.content(c.req.param()),
    base: '../'.repeat(depth),
    scripts: [libraryScript, page.island].flatMap((name) => scripts.get(name) ?? []),
  })
  const tag = `W/"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`
  const headers = { ETag: tag, 'Cache-Control': 'no-cache', 'Content-Security-Policy': pagePolicy }
  const known = c.req.header('If-None-Match')?.split(/\s*,\s*/) ?? []
  if (known.includes(tag)) return c.body(null, 304, headers)
  return c.body(html, 200, {
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
}
