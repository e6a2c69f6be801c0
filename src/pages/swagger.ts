import { basename } from 'node:path'
import { SwaggerUI } from '@hono/swagger-ui'
import { Hono } from 'hono'
import type { AppEnv } from '../http/env.ts'
import { answerLasting, type Lasting, lasting } from '../http/etag.ts'
import { answerFramed, builtFile, noScript } from './frame.ts'
import { swaggerScript } from './swagger-script.ts'

// The page's own files are copied into the build, so that it works without the Internet.
const assets = {
  '/docs/swagger-ui-dist/swagger-ui.css': 'text/css',
  '/docs/swagger-ui-dist/swagger-ui-bundle.js': 'text/javascript',
}
const cached = { 'Cache-Control': 'public, max-age=86400' }

/** Swagger UI uses inline styles, and its style sheet contains images. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const page = {
  title: 'API',
  main: `<div id="swagger-ui">${noScript}</div>`,
  script: SwaggerUI({
    url: 'openapi.json',
    baseUrl: 'docs',
    manuallySwaggerUIHtml: ({ css, js }) =>
      [
        ...css.map((url) => `<link rel="stylesheet" href="${url}">`),
        ...[...js, 'docs/page.js'].map((url) => `<script src="${url}" defer></script>`),
      ].join('\n'),
  }),
  sheet: 'api.css',
  policy,
} as const

/** Serves `/docs`: Swagger UI in the frame of the other pages. */
export function swaggerRoutes() {
  const router = new Hono<AppEnv>()
  router.get('/docs', (c) => answerFramed(c, '/docs', page))
  // Relative, because a proxy may serve everything below a path of its own.
  router.get('/docs/', (c) => c.redirect('../docs', 308))
  const script = lasting(swaggerScript)
  router.get('/docs/page.js', (c) =>
    answerLasting(c, script, { 'Content-Type': 'text/javascript', ...cached }),
  )
  for (const [path, type] of Object.entries(assets)) {
    let file: Lasting | undefined
    router.get(path, (c) => {
      file ??= lasting(builtFile(`swagger-ui/${basename(path)}`))
      return answerLasting(c, file, { 'Content-Type': type, ...cached })
    })
  }
  return router
}
