import { z } from '@hono/zod-openapi'
import { TextId } from '../embeddings/schemas.ts'
import { parsePath } from '../filters/metadata-path.ts'
import { FilterInBody } from '../filters/schemas.ts'
import { closedObject, storableText } from '../http/schemas.ts'
import { usualSearch } from '../similars/options/defaults.ts'
import type { NeighboursRequest } from './steps.ts'

const kMessage = 'must be between 1 and 100'
const thresholdMessage = 'must be between 0.0 and 1.0'

export const NeighboursBody = closedObject({
  k: z
    .int(kMessage)
    .min(1, kMessage)
    .max(100, kMessage)
    .optional()
    .openapi({
      description: `Neighbours of each embedding at most; ${usualSearch.limit} when it is not given.`,
    }),
  threshold: z
    .number(thresholdMessage)
    .min(0, thresholdMessage)
    .max(1, thresholdMessage)
    .optional()
    .openapi({
      description: `Only neighbours with at least this similarity count; ${usualSearch.threshold} when it is not given.`,
    }),
  filter: FilterInBody.optional(),
  different: storableText
    .max(1_000, 'is too long')
    .transform((path) => parsePath(path, 'different'))
    .optional()
    .openapi({
      type: 'string',
      maxLength: 1_000,
      example: 'ref.book',
      description:
        'A metadata path in dot notation: only embeddings with another JSON value there are neighbours. One without a value differs from all that have one, and not from others without.',
    }),
  after: TextId.optional().openapi({
    description:
      'Only the embeddings behind this text_id get a line, in byte order: goes on where an answer broke off.',
  }),
  exact: z.boolean().optional().openapi({
    description:
      'Refuse rather than answer approximately, where the project is large. False when it is not given.',
  }),
}).openapi('NeighboursRequest')

export const exampleBody = { k: 5, threshold: 0.7, different: 'ref.book' }

export const exampleLines = [
  { progress: { done: 0, total: null } },
  { id: 'mark-1-11', neighbours: [{ id: 'matthew-3-17', similarity: 0.9003214 }] },
  { id: 'matthew-3-17', neighbours: [{ id: 'mark-1-11', similarity: 0.9003214 }] },
  { done: true, embeddings: 2, mode: 'exact' },
]

export const toRequest = (body: z.output<typeof NeighboursBody>): NeighboursRequest => ({
  k: body.k ?? usualSearch.limit,
  threshold: body.threshold ?? usualSearch.threshold,
  filter: body.filter,
  different: body.different,
  after: body.after,
  exact: body.exact ?? false,
})
