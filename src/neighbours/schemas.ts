import { z } from '@hono/zod-openapi'
import { TextId } from '../embeddings/schemas.ts'
import { parsePath } from '../filters/metadata-path.ts'
import { FilterInBody } from '../filters/schemas.ts'
import { closedObject, text } from '../http/schemas.ts'
import { usualSearch } from '../search/options.ts'

const kMessage = 'must be between 1 and 100'
const thresholdMessage = 'must be between 0.0 and 1.0'

export const NeighboursBody = closedObject({
  k: z
    .int(kMessage)
    .min(1, kMessage)
    .max(100, kMessage)
    .optional()
    .describe(`Maximum number of neighbours per embedding. Default: ${usualSearch.limit}.`),
  threshold: z
    .number(thresholdMessage)
    .min(0, thresholdMessage)
    .max(1, thresholdMessage)
    .optional()
    .describe(`Minimum similarity of neighbours. Default: ${usualSearch.threshold}.`),
  filter: FilterInBody.optional(),
  different: text(1_000)
    .transform((path) => parsePath(path, 'different'))
    .optional()
    .openapi({
      type: 'string',
      maxLength: 1_000,
      example: 'ref.book',
      description:
        'A metadata path in dot notation; only embeddings with a different JSON value there count as neighbours. An embedding without a value differs from all that have one.',
    }),
  after: TextId.optional().describe(
    'Only embeddings after this text_id, in byte order, get a line: to continue an answer that broke off.',
  ),
  exact: z
    .boolean()
    .optional()
    .describe('Refuse the request if an exact answer is not possible. Default: false.'),
}).openapi('NeighboursRequest')

export const exampleBody = { k: 5, threshold: 0.7, different: 'ref.book' }

export const exampleLines = [
  { progress: { done: 0, total: null } },
  { id: 'mark-1-11', neighbours: [{ id: 'matthew-3-17', similarity: 0.9003214 }] },
  { id: 'matthew-3-17', neighbours: [{ id: 'mark-1-11', similarity: 0.9003214 }] },
  { done: true, embeddings: 2, mode: 'exact' },
]

export type NeighboursRequest = Readonly<ReturnType<typeof toRequest>>

export const toRequest = (body: z.output<typeof NeighboursBody>) => ({
  k: body.k ?? usualSearch.limit,
  threshold: body.threshold ?? usualSearch.threshold,
  filter: body.filter,
  different: body.different,
  after: body.after,
  exact: body.exact ?? false,
})
