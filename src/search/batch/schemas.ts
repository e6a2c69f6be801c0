import { z } from '@hono/zod-openapi'
import { itemList } from '../../embeddings/schemas.ts'
import { closedObject, Problem, UserHandle } from '../../http/schemas.ts'
import { SearchResult, totalSimilar } from '../schemas.ts'

export const maxSearches = 100

export const Batch = closedObject({
  // Each search is validated by itself, so that an invalid one does not fail the others.
  searches: itemList
    .refine(({ length }) => length > 0, 'must have at least 1 search')
    .refine(({ length }) => length <= maxSearches, `must have at most ${maxSearches} searches`)
    .openapi({
      type: 'array',
      items: {
        anyOf: [
          { $ref: '#/components/schemas/Search' },
          { description: 'Any other item is answered with an error.' },
        ],
      },
      minItems: 1,
      maxItems: maxSearches,
    }),
}).openapi('SearchBatch')

const BatchedAnswer = z
  .object({
    mode: z
      .enum(['exact', 'approximate'])
      .openapi({ description: 'Same as the header X-Search-Mode.' }),
    hidden: z.int().optional().openapi({ description: 'Same as the header X-Search-Hidden.' }),
    note: z.string().optional().openapi({ description: 'Same as the header X-Search-Note.' }),
    total_similar: totalSimilar,
    results: z.array(SearchResult),
  })
  .openapi('BatchedAnswer')
const BatchedError = z.object({ error: Problem }).openapi('BatchedError')

export const BatchAnswer = z
  .object({
    user_handle: UserHandle.openapi({ description: "The project's owner." }),
    project_handle: z.string(),
    answers: z
      .array(z.union([BatchedAnswer, BatchedError]))
      .openapi({ description: 'One for each search, in the same order.' }),
  })
  .openapi('SearchBatchAnswer')

export const exampleBatch = {
  searches: [
    { vector: [0.25, -0.5, 0.75], limit: 3 },
    { text_id: 'matthew-5-3', include: ['text' as const] },
  ],
}

export const exampleBatchAnswer = {
  user_handle: 'alice',
  project_handle: 'verses',
  answers: [
    { mode: 'exact' as const, hidden: 2, results: [{ id: 'mark-1-11', similarity: 0.9003 }] },
    {
      error: {
        title: 'Not Found',
        status: 404,
        detail: "Embedding 'matthew-5-3' not found in project 'alice/verses'",
      },
    },
  ],
}
