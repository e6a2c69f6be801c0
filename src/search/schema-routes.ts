import { z } from '@hono/zod-openapi'
import { createRouter, operation } from '../http/operation.ts'
import { anyone } from '../http/permission.ts'
import { SearchAnswer } from './schemas.ts'

export const schemaPath = '/v1/schemas/similarity-response.json'
const getSchema = operation(anyone, {
  method: 'get',
  path: schemaPath,
  operationId: 'getSimilarityResponseSchema',
  summary: 'The JSON Schema of a similarity response',
  description: 'The schema that $schema refers to in search answers. Needs no key.',
  tags: ['Similarity search'],
  responses: {
    200: {
      description: 'A JSON Schema (2020-12)',
      content: {
        'application/schema+json': {
          schema: z.object({}).openapi({ type: 'object', additionalProperties: true }),
        },
      },
    },
  },
})

export function searchSchemaRoutes() {
  const router = createRouter()
  const schema = JSON.stringify(z.toJSONSchema(SearchAnswer, { unrepresentable: 'any' }))
  router.openapi(getSchema, (c) =>
    c.body(schema, 200, { 'Content-Type': 'application/schema+json' }),
  )
  return router
}
