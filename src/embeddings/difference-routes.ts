import { z } from '@hono/zod-openapi'
import { listBody } from '../http/body/format.ts'
import { createRouter, post } from '../http/operation.ts'
import { projectParams as params } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import { body, closedObject, json, parseItems } from '../http/schemas.ts'
import type { createEmbeddings } from './embeddings.ts'
import { TextId, textIdOf } from './schemas.ts'

const maxItems = 10_000

const HeldItem = closedObject({
  text_id: TextId,
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')
    .transform((digest) => digest.toLowerCase())
    .optional()
    .describe("The digest of the client's version of the embedding."),
}).openapi('HeldEmbedding')

const MissingBody = closedObject({
  items: z
    .array(z.unknown())
    .max(maxItems, `must have at most ${maxItems} items`)
    .transform(parseItems(HeldItem, textIdOf))
    .openapi({ type: 'array', items: { $ref: '#/components/schemas/HeldEmbedding' } }),
}).openapi('HeldEmbeddings')

const TextIds = z.array(z.string())

const MissingAnswer = z
  .object({
    missing: TextIds.describe('The text_ids that do not exist in the project.'),
    missing_count: z.int(),
    different: TextIds.describe('The text_ids whose stored digest differs.'),
    different_count: z.int(),
  })
  .openapi('MissingAnswer')

/** The digest of the example embedding in the API document. */
export const exampleDigest = '94366b595486148a2792170fc9125581e1b0d496fbe8e3d67b79ded1ddecfd4c'

const findMissing = post(onProject('project:read'), '/v1/embeddings/{user}/{project}/missing', {
  operationId: 'findMissingEmbeddings',
  summary: 'Find which embeddings are missing or different',
  description: `Tells a client what it has to upload. The digest of an embedding is the SHA-256, in hex, of

- the vector as little-endian float32, followed by
- the canonical JSON (RFC 8785, UTF-8) of an object with metadata and text; a missing one is null.

For the vector [0.25, -0.5, 0.75] that JSON may be {"metadata":{"ref":{"book":"Matthew","chapter":5,"verse":3}},"text":"Blessed are the poor in spirit"}, and the digest is ${exampleDigest}.`,
  request: {
    params,
    body: body(MissingBody, {
      items: [{ text_id: 'matthew-5-3', sha256: exampleDigest }, { text_id: 'mark-1-11' }],
    }),
  },
  responses: {
    200: json(MissingAnswer, 'The missing and the different text_ids, in the order of the items', {
      missing: ['mark-1-11'],
      missing_count: 1,
      different: [],
      different_count: 0,
    }),
  },
  errors: {
    400: "items[0].sha256: must be 64 hexadecimal digits (text_id 'matthew-5-3')",
  },
  format: { ...listBody, list: 'items' },
})

export function embeddingDifferenceRoutes(embeddings: ReturnType<typeof createEmbeddings>) {
  const router = createRouter()
  // The schema of the items refers to it by `$ref`.
  router.openAPIRegistry.register('HeldEmbedding', HeldItem)
  router.openapi(findMissing, async (c) => {
    const { project } = c.get('granted')
    const { missing, different } = await embeddings.difference(project, c.req.valid('json').items)
    const counts = { missing_count: missing.length, different_count: different.length }
    return c.json({ missing, different, ...counts }, 200)
  })
  return router
}
