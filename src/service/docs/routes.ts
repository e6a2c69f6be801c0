import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { swaggerUI } from '@hono/swagger-ui'
import { Hono } from 'hono'
import { stringify } from 'yaml'
import type { OpenApiDocument } from './document.ts'

// The page's own files come from the package, so that it works without the Internet.
const assets = {
  '/docs/swagger-ui-dist/swagger-ui.css': 'text/css',
  '/docs/swagger-ui-dist/swagger-ui-bundle.js': 'text/javascript',
  '/favicon.ico': 'image/png',
}

const page = swaggerUI({
  title: 'Semblance API',
  url: 'openapi.json',
  baseUrl: 'docs',
  // Swagger UI would else ask a validator on another host.
  validatorUrl: 'none',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
})

/** `/docs`, `/openapi.json` and `/openapi.yaml`; the documents are printed once. */
export function docRoutes(document: OpenApiDocument) {
  const router = new Hono()
  const json = JSON.stringify(document, null, 2)
  const yaml = stringify(document, { aliasDuplicateObjects: false })
  router.get('/openapi.json', (c) => c.body(json, 200, { 'Content-Type': 'application/json' }))
  router.get('/openapi.yaml', (c) => c.body(yaml, 200, { 'Content-Type': 'application/yaml' }))
  router.get('/docs', page)
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  for (const [path, type] of Object.entries(assets)) {
    const file = path === '/favicon.ico' ? 'favicon-32x32.png' : basename(path)
    router.get(path, async (c) =>
      c.body(await readFile(join(folder, file)), 200, {
        'Content-Type': type,
        'Cache-Control': 'public, max-age=86400',
      }),
    )
  }
  return router
}
