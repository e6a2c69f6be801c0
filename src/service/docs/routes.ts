import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { swaggerUI } from '@hono/swagger-ui'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { Hono } from 'hono'
import { stringify } from 'yaml'
import type { AppEnv } from '../../http/operation.ts'

const description = `Stores vector embeddings of texts for many users and projects, and finds the stored texts that are similar to a text or a vector.

Bodies are JSON, whatever the Content-Type says, plain or with Content-Encoding gzip or deflate; at most 1 MiB, uploads of embeddings 64 MiB (unless configured otherwise), with 1,000,000 objects and arrays. Unknown fields are ignored. Every error answer is \`{title, status, detail}\` with the media type \`application/problem+json\`. PUT replaces all own fields of a resource, PATCH changes the fields given, and \`null\` clears an optional one.`

export type OpenApiDocument = ReturnType<typeof openApiDocument>

/** The OpenAPI 3.1 description of all routes of `app`. */
export function openApiDocument(app: OpenAPIHono<AppEnv>, version: string) {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: "A user's API key, or the administrator key.",
  })
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Semblance', version, description, license: { name: 'MIT' } },
    servers: [{ url: '/', description: 'This server' }],
    tags: [
      { name: 'Users', description: 'Accounts, each with an API key.' },
      { name: 'API standards', description: 'How a key is presented to an embedding provider.' },
      { name: 'LLM service definitions', description: 'Templates of instances, without a key.' },
      { name: 'LLM service instances', description: "A user's embedding services." },
      { name: 'Projects', description: 'Sets of embeddings, and who may use them.' },
      { name: 'Embeddings', description: 'Vectors with their texts and metadata.' },
      { name: 'Similarity search', description: 'By a stored text or by a vector.' },
      {
        name: 'Service',
        description:
          'Whether the service is up, its limits and figures, and whether its data are sound.',
      },
    ],
  })
}

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
