import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { swaggerUI } from '@hono/swagger-ui'
import { Hono } from 'hono'
import { html, raw } from 'hono/html'
import { colours } from '../welcome/style.ts'
import { type OpenApiDocument, printYaml } from './document.ts'
import { pageScript } from './page-script.ts'

// The page's own files are copied into the build, so that it works without the Internet.
const assets = {
  '/docs/swagger-ui-dist/swagger-ui.css': 'text/css',
  '/docs/swagger-ui-dist/swagger-ui-bundle.js': 'text/javascript',
}
/** When the service runs from source, as in tests, these are the files of the last build. */
const folder = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/swagger-ui/' : '../../swagger-ui/',
  import.meta.url,
)
const cached = { 'Cache-Control': 'public, max-age=86400' }

/** Swagger UI uses inline styles, and its style sheet contains images. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The style of the header above Swagger UI, as on the other pages. */
const headStyle = `
body { margin: 0 }
.top { display: flex; align-items: center; gap: 1.5rem; padding: .625rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--back); font: .9375rem/1.5 system-ui, sans-serif }
.top > a { display: flex; align-items: center; gap: .5rem; color: var(--text); font-weight: 600; text-decoration: none }
.top nav { display: flex; gap: 1.25rem }
.top nav a { color: var(--link); text-underline-offset: .15em }
`

const page = swaggerUI({
  title: 'Semblance API',
  url: 'openapi.json',
  baseUrl: 'docs',
  manuallySwaggerUIHtml: ({ css, js }) =>
    html`<style>${raw(colours)}${raw(headStyle)}</style>
    <header class="top"><a href="./"><img src="favicon.svg" alt="" width="24" height="24">Semblance</a>
    <nav aria-label="This server"><a href="explore">Explore</a><a href="docs/guide">Guides</a></nav></header>
    ${css.map((url) => html`<link rel="stylesheet" href="${url}">`)}
    <main id="swagger-ui"></main>
    ${[...js, 'docs/page.js'].map((url) => html`<script src="${url}"></script>`)}`.toString(),
})

/** Prints at the first request, so that the start does not wait for a rarely used document. */
function printedOnce(print: () => string): () => string {
  let printed: string | undefined
  return () => {
    printed ??= print()
    return printed
  }
}

/** Serves `/docs`, `/openapi.json` and `/openapi.yaml`. */
export function docRoutes(document: OpenApiDocument) {
  const router = new Hono()
  const json = printedOnce(() => JSON.stringify(document, null, 2))
  const yaml = printedOnce(() => printYaml(document))
  router.get('/openapi.json', (c) => c.body(json(), 200, { 'Content-Type': 'application/json' }))
  router.get('/openapi.yaml', (c) => c.body(yaml(), 200, { 'Content-Type': 'application/yaml' }))
  router.get('/docs', (c, next) => {
    c.header('Content-Security-Policy', policy)
    return page(c, next)
  })
  // Relative, because a proxy may serve everything below a path of its own.
  router.get('/docs/', (c) => c.redirect('../docs', 308))
  router.get('/docs/page.js', (c) =>
    c.body(pageScript, 200, { 'Content-Type': 'text/javascript', ...cached }),
  )
  for (const [path, type] of Object.entries(assets)) {
    router.get(path, async (c) =>
      c.body(await readFile(new URL(basename(path), folder)), 200, {
        'Content-Type': type,
        ...cached,
      }),
    )
  }
  return router
}
