import { z } from '@hono/zod-openapi'
import { FilterInBody } from '../../filters/schemas.ts'
import { closedObject, ofSound, parseItems } from '../../http/schemas.ts'
import { TextId } from '../schemas.ts'
import { textIdOf } from '../upload-item/schemas.ts'

const maxChosen = 10_000

/**
 * Unknown fields are refused, here and below: if `dry_run` in the body were ignored, embeddings
 * would be deleted.
 */
export const DeleteBody = closedObject({
  text_ids: z
    .array(TextId)
    .max(maxChosen, `must have at most ${maxChosen} text_ids`)
    .optional()
    .openapi({
      description: 'The embeddings to delete. The answer reports those that do not exist.',
    }),
  filter: FilterInBody.optional(),
})
  .refine(
    ({ text_ids, filter }) => (text_ids === undefined) !== (filter === undefined),
    ofSound('text_ids or filter must be given, and only one of them'),
  )
  .openapi('DeleteEmbeddings')

export const DeleteAnswer = z
  .object({
    message: z.string(),
    matched_count: z.int().openapi({ description: 'The number of matching embeddings.' }),
    deleted_count: z
      .int()
      .openapi({ description: 'The number of deleted embeddings; 0 with dry_run=true.' }),
    not_found: z.array(z.string()).optional().openapi({
      description: 'The given text_ids that do not exist. Absent with a filter.',
    }),
  })
  .openapi('DeleteAnswer')

export const HeldItem = closedObject({
  text_id: TextId,
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')
    .transform((digest) => digest.toLowerCase())
    .optional()
    .openapi({ description: "The digest of the client's version of the embedding." }),
}).openapi('HeldEmbedding')

export const MissingBody = closedObject({
  items: z
    .array(z.unknown())
    .max(maxChosen, `must have at most ${maxChosen} items`)
    .transform(parseItems(HeldItem, textIdOf))
    .openapi({ type: 'array', items: { $ref: '#/components/schemas/HeldEmbedding' } }),
}).openapi('HeldEmbeddings')

export const MissingAnswer = z
  .object({
    missing: z
      .array(z.string())
      .openapi({ description: 'The text_ids that do not exist in the project.' }),
    missing_count: z.int(),
    different: z
      .array(z.string())
      .openapi({ description: 'The text_ids whose stored digest differs.' }),
    different_count: z.int(),
  })
  .openapi('MissingAnswer')
