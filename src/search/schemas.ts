import { z } from '@hono/zod-openapi'
import { TextId, VectorInput, VectorNumbers } from '../embeddings/schemas.ts'
import { closedObject, json, text, UserHandle } from '../http/schemas.ts'
import { bodyOptions, type OptionValues, requireTogether } from './options/schemas.ts'

const maxQueryCharacters = 10_000
const QueryText = text(maxQueryCharacters).refine(
  (words) => words.trim() !== '',
  'must not be blank',
)

const sources = ['vector', 'text_id', 'text'] as const

const maxExamples = 20
const Examples = z
  .array(z.union([TextId, VectorNumbers], 'must be a text_id or an array of numbers'))
  .max(maxExamples, `must have at most ${maxExamples} text_ids and vectors`)

/** A search in a JSON body, with all its options. */
export const searchFields = {
  vector: VectorInput.optional().describe(
    'The vector to search for. As a string: base64 of its elements as little-endian float32.',
  ),
  text_id: TextId.optional().openapi({
    description: 'The stored embedding to search for, instead of a vector.',
  }),
  text: QueryText.optional().openapi({
    description:
      "A text to search for by its meaning, instead of a vector. It is sent to the provider of the project's instance if the project's text_queries allows it.",
  }),
  like: Examples.optional().openapi({
    example: ['matthew-5-3', 'luke-6-20'],
    description: `text_ids of stored embeddings, and vectors, that results are to be like, alone or beside vector, text_id or text, which then counts as one of them.

- The query is the mean of their unit vectors minus the mean of those of unlike.
- At most ${maxExamples} in like and unlike together.
- What is named by text_id is no result, unless include_self is true.`,
  }),
  unlike: Examples.optional().openapi({
    example: ['john-3-16'],
    description: 'text_ids and vectors that results are to be unlike; see like.',
  }),
  ...bodyOptions,
}

/** Checks that a search has something to search for, and options that require each other. */
export const requireSought = <Values extends Sought>(
  values: Values,
  context: z.RefinementCtx<Values>,
) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message })
  const given = sources.filter((name) => values[name] !== undefined)
  const { like = [], unlike = [] } = values
  const isByVector = given.length + like.length > 0
  if (!isByVector && unlike.length > 0) refuse('unlike requires like, vector, text_id or text')
  else if (!isByVector && values.words === undefined) {
    refuse('vector, text_id, text, like or words is required')
  }
  if (like.length + unlike.length > maxExamples) {
    refuse(`like and unlike must have at most ${maxExamples} text_ids and vectors together`)
  }
  if (given.length > 1) refuse(`give ${given.join(' or ')}, not both`)
  requireTogether(values, context)
}

type Sought = OptionValues & { readonly [Source in (typeof sources)[number]]?: unknown } & {
  readonly [Kind in 'like' | 'unlike']?: readonly unknown[] | undefined
}

export const SearchSchema = closedObject(searchFields).superRefine(requireSought).openapi('Search')

const place = (ranking: string) =>
  z
    .int()
    .min(1)
    .optional()
    .openapi({
      description: `With words: the place in the ranking by ${ranking}, if it is among the first 100.`,
    })

const Metadata = z.record(z.string(), z.unknown())

/** A text before or after another one. */
const TextAround = z
  .object({
    id: z.string().openapi({ description: 'The text_id.' }),
    text: z.string().optional(),
    metadata: Metadata.optional(),
  })
  .openapi('TextAround')

/** The texts before and after another one. */
export const aroundLists = {
  before: z
    .array(TextAround)
    .openapi({ description: 'In the order of reading: the nearest is the last.' }),
  after: z.array(TextAround).openapi({ description: 'The nearest is the first.' }),
}

export const SearchResult = z
  .object({
    id: z.string().openapi({ description: 'The text_id.' }),
    project: z.string().optional().openapi({
      description: 'In a search of several projects: the one it is from, as owner/handle.',
    }),
    similarity: z.number().min(0).max(1).optional().openapi({
      description: 'Cosine similarity. Absent only in a search by words alone.',
    }),
    percentile: z.number().min(0).max(1).optional().openapi({
      description:
        'With include: the share of random pairs of the project that are less similar than this result to the query; see scale of the statistics. Absent without a scale.',
    }),
    score: z.number().optional().openapi({
      description: 'With words: BM25, or with a vector too the score of both rankings together.',
    }),
    vector_rank: place('the vector'),
    words_rank: place('words'),
    group: z.unknown().optional().openapi({
      description:
        "With group_by: the value of that field, of any type; null for documents without it. If the value's JSON has more than 1000 characters, a string with its first 100 characters, its length and its SHA-256.",
    }),
    text: z.string().optional(),
    highlights: z
      .array(z.object({ start: z.int().min(0), end: z.int().min(1) }))
      .optional()
      .openapi({
        description:
          'With include: the places of the words in the text, the first 100 in about its first 10,000 characters. They count Unicode code points from 0, and end behind the last one: text[start:end] in Python, Array.from(text).slice(start, end) in JavaScript.',
      }),
    metadata: Metadata.optional(),
    vector: z
      .union([z.array(z.number()), z.string()])
      .optional()
      .openapi({ description: 'In the form that vector_format selects.' }),
    around: z.object(aroundLists).optional().openapi({
      description:
        'With include: the text before and the text after this one, as getAround finds them, with their metadata if these are included.',
    }),
  })
  .openapi('SearchResult')

export const totalSimilar = z.int().min(0).optional().openapi({
  description: 'With totals: the number of documents whose similarity reaches the threshold.',
})

export const SearchAnswer = z
  .object({
    $schema: z.url().openapi({ description: "The URL of this answer's JSON Schema." }),
    user_handle: UserHandle.openapi({ description: "The project's owner." }),
    project_handle: z.string(),
    total_similar: totalSimilar,
    results: z.array(SearchResult),
  })
  .openapi('SimilarityResponse')

const exampleAnswer = {
  $schema: 'http://localhost:8880/v1/schemas/similarity-response.json',
  user_handle: 'alice',
  project_handle: 'verses',
  results: [{ id: 'mark-1-11', similarity: 0.9003 }],
}

/** OpenAPI descriptions of the response headers of a search. */
export const searchHeaders = {
  'X-Search-Mode': {
    description:
      'exact: the search compared every vector of the project in full precision. approximate: an index, or codes of the vectors, chose the candidates, as in large projects; on average, at least 99 of 100 true results are found.',
    schema: { type: 'string' as const, enum: ['exact', 'approximate'] },
  },
  'X-Search-Hidden': {
    description:
      'The number of places on this page (limit) that the threshold left empty: there are documents for them, but their similarity is below the threshold. Absent if this is not known, which can only happen in an approximate search or with a filter that matches little.',
    schema: { type: 'integer' as const, minimum: 0 },
  },
  'X-Search-Note': {
    description: `Says what a search should be told of; absent if there is nothing to say:

- No document has a field named by metadata_path, the filter or group_by, or has a value there of a type that the filter compares. This is checked in the first 1,000 documents by text_id, and not in very large metadata if that takes long.
- The index finds less than promised or requested, in projects that are too large for an exact search without exact=true.
- The search took longer because the vectors are not in memory.`,
    schema: { type: 'string' as const },
    example: 'No document of this project has a field "ref.bok" in its metadata',
  },
  RateLimit: {
    description:
      "For a search by words that were sent to the provider: the rest (r) of today's budgets of the project and of the caller, in texts and in characters, and the seconds until they renew (t).",
    schema: { type: 'string' as const },
    example:
      '"project-texts";r=993;t=3600, "project-characters";r=198210;t=3600, "caller-texts";r=193;t=3600, "caller-characters";r=38210;t=3600',
  },
  'Server-Timing': {
    description:
      'Milliseconds for access (key and permission), the body, the search (named by its strategy: memory, memory-exact, matches, index, database-exact, or words for words alone), the provider that embeds words, and in total.',
    schema: { type: 'string' as const },
    example: 'access;dur=0.9,memory;dur=4.2,total;dur=5.6',
  },
}

/** The success answer of the operations that run one search. */
export const searchAnswers = {
  200: {
    ...json(SearchAnswer, 'The most similar first; ties are ordered by text_id', exampleAnswer),
    headers: searchHeaders,
  },
}

const rulesOfWords = `- Words alone rank by BM25 all texts that have one of them. With a vector, the first 100 of both rankings are fused by reciprocal rank.
- The words of a project are read into memory on its first search by words. 503 says how far that is; 422 says that there is no room for them, or that words are too frequent to be ranked.`

const rules = `- Without words, results are ranked by cosine similarity. Documents with a negative similarity are never returned.
- A filter, threshold or offset never makes a page shorter than the data require. For an approximate answer this holds within the recall of its index. In projects above max_scan_components of /v1/limits, results end where those of the index do.
- Pages of one ranking have no gaps and no repeats as long as neither the project nor its index changes.

Needs no key when public_read is true.`

export const searchDescriptions = {
  byPath: rules,
  byQuery: `For text_ids that proxies would change in a path, and for words.

${rulesOfWords}
${rules}`,
  byVector: `The body has a vector, or instead a stored embedding (text_id), a text to embed (text) or words to find in the texts, alone or with one of these, and all options.

- An option that is given in the URL too must have the same value there.
- The vector is not stored.
- A text is sent to the provider of the project's instance with its key, if the project's text_queries and the server's SERVICE_EMBEDDINGHOSTS allow it. Repeated texts usually come from a cache and cost nothing.
${rulesOfWords}
${rules}`,
  several: `Finds in up to 20 projects what would be found if all their embeddings were in one.

- Results are merged by similarity. Words are ranked by what is known of all the texts together. Totals are added up. Equal results are in the order of the projects.
- A project that the caller may not read is refused as if it stood alone.
- A text is sent once, to the provider of the first project whose text_queries allow it.
- group_by has the best of each value of a field, or with "project" the best group_size of each project (a field of that name is \\project).
- like, unlike, diversity, min_percentile, around and percentile are for one project alone.
- It counts as one request for the rate limit.
${rulesOfWords}

Needs no key if public_read is true in all of the projects.`,
}
