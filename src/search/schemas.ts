import { z } from '@hono/zod-openapi'
import { base64Rule, itemList, TextId, vectorRule, vectorType } from '../embeddings/schemas.ts'
import { closedObject, Problem, text, UserHandle } from '../http/schemas.ts'
import { vectorFromBase64 } from '../vectors/encoding.ts'
import { isVector, type VectorElements } from '../vectors/float32.ts'
import { bodyOptions, requireTogether } from './options/schemas.ts'
import { GivenVector } from './options.ts'

export const maxSearches = 100

const AnyVector = z.custom<GivenVector | VectorElements>(
  (value) => value instanceof GivenVector || isVector(value),
)
const QueryVectorInput = z
  .union([AnyVector.openapi(vectorType), z.string()], vectorRule)
  .transform((value, context) => {
    if (value instanceof GivenVector) return value
    const vector = typeof value === 'string' ? vectorFromBase64(value) : value
    if (vector !== undefined) return new GivenVector(vector)
    context.addIssue({ code: 'custom', message: base64Rule })
    return z.NEVER
  })
  .openapi({
    description:
      'The vector to search for. As a string: base64 of its elements as little-endian float32.',
  })

const maxQueryCharacters = 10_000
const QueryText = text(maxQueryCharacters).refine(
  (words) => words.trim() !== '',
  'must not be blank',
)

const searchFields = closedObject({
  vector: QueryVectorInput.optional(),
  text_id: TextId.optional().openapi({
    description: 'The stored embedding to search for, instead of a vector.',
  }),
  text: QueryText.optional().openapi({
    description:
      "Words to search for, instead of a vector. They are sent to the provider of the project's instance if the project's text_queries allows it.",
  }),
  ...bodyOptions,
})

const sources = ['vector', 'text_id', 'text'] as const
const messages = {
  none: 'vector, text_id or text is required',
  both: (names: readonly string[]) => `give ${names.join(' or ')}, not both`,
}

/** A search in a JSON body, with all its options. */
export const SearchSchema = searchFields
  .superRefine((values, context) => {
    const given = sources.filter((name) => values[name] !== undefined)
    if (given.length === 0) context.addIssue({ code: 'custom', message: messages.none })
    if (given.length > 1) context.addIssue({ code: 'custom', message: messages.both(given) })
    requireTogether(values, context)
  })
  .openapi('Search')

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

const Result = z
  .object({
    id: z.string().openapi({ description: 'The text_id.' }),
    similarity: z.number().min(0).max(1).openapi({ description: 'Cosine similarity.' }),
    group: z.unknown().optional().openapi({
      description:
        "With group_by: the value of that field, of any type; null for documents without it. If the value's JSON has more than 1000 characters, a string with its first 100 characters, its length and its SHA-256.",
    }),
    text: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    vector: z
      .union([z.array(z.number()), z.string()])
      .optional()
      .openapi({ description: 'In the form that vector_format selects.' }),
  })
  .openapi('SearchResult')
const totalSimilar = z.int().min(0).optional().openapi({
  description: 'With totals: the number of documents whose similarity reaches the threshold.',
})

export const SearchAnswer = z
  .object({
    $schema: z.url().openapi({ description: "The URL of this answer's JSON Schema." }),
    user_handle: UserHandle.openapi({ description: "The project's owner." }),
    project_handle: z.string(),
    total_similar: totalSimilar,
    results: z.array(Result),
  })
  .openapi('SimilarityResponse')

const BatchedAnswer = z
  .object({
    mode: z
      .enum(['exact', 'approximate'])
      .openapi({ description: 'Same as the header X-Search-Mode.' }),
    hidden: z.int().optional().openapi({ description: 'Same as the header X-Search-Hidden.' }),
    note: z.string().optional().openapi({ description: 'Same as the header X-Search-Note.' }),
    total_similar: totalSimilar,
    results: z.array(Result),
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

export const exampleAnswer = {
  $schema: 'http://localhost:8880/v1/schemas/similarity-response.json',
  user_handle: 'alice',
  project_handle: 'verses',
  results: [{ id: 'mark-1-11', similarity: 0.9003 }],
}

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
