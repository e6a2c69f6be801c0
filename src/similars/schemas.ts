import { z } from '@hono/zod-openapi'
import { isNumberArray } from '../embeddings/vectors.ts'
import { parsePath } from '../filters/metadata-path.ts'
import { flag, offset, pageOf, pageSize, UserHandle } from '../http/schemas.ts'
import { GivenVector } from './given-vector.ts'
import type { SearchOptions } from './search.ts'

const thresholdMessage = 'threshold must be between 0.0 and 1.0'
const Threshold = z
  .string({ error: thresholdMessage })
  .regex(/^(\d{1,20}(\.\d{0,30})?|\.\d{1,30})(e-\d{1,2})?$/i, thresholdMessage)
  .transform(Number)
  .refine((value) => value <= 1, thresholdMessage)
  .optional()
  .openapi({
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.5,
    description: 'Only results with at least this similarity are returned.',
  })

const recallMessage = 'min_recall must be between 0.9 and 0.999'
const MinRecall = z
  .string({ error: recallMessage })
  .regex(/^0?\.9\d{0,30}$/, recallMessage)
  .transform(Number)
  .refine((value) => value <= 0.999, recallMessage)
  .optional()
  .openapi({
    type: 'number',
    minimum: 0.9,
    maximum: 0.999,
    description:
      'The share of the ten most similar that the search must find on average, where an index is used. Less than the usual 0.99 is faster; of more, what was measured for the index decides, and where it is not known to find so much, every vector is compared (in projects up to max_scan_components of /v1/limits).',
  })

const parameter = (name: string) =>
  z
    .string({ error: `${name} must be given once` })
    .max(1_000, `${name} is too long`)
    .optional()

export const options = {
  count: pageSize('count'),
  limit: pageSize('limit').openapi({
    description: 'Same as count; when both are given the smaller counts.',
  }),
  offset,
  threshold: Threshold,
  metadata_path: parameter('metadata_path').openapi({
    description:
      'Field of the metadata, in dot notation for nested ones (a backslash escapes a dot), such as ref.book. Documents whose field equals metadata_value are left out.',
  }),
  metadata_value: parameter('metadata_value').openapi({
    description:
      'Compared as text with the scalar at metadata_path, or with each element of an array there.',
  }),
  min_recall: MinRecall,
  exact: flag('exact', 'Force an exact search; see the header X-Search-Mode of the answer.'),
}
export const includeSelf = flag('include_self', 'Also return the document that is searched for.')

type OptionValues = { [Name in keyof typeof options]?: z.output<(typeof options)[Name]> }

export const bothOrNeither = <Query extends OptionValues>(
  query: Query,
  context: z.RefinementCtx<Query>,
) => {
  const { metadata_path: path, metadata_value: value } = query
  if ((path === undefined) === (value === undefined)) return
  const [given, wanted] =
    path === undefined ? ['metadata_value', 'metadata_path'] : ['metadata_path', 'metadata_value']
  context.addIssue({
    code: 'custom',
    message: `${given} requires ${wanted} to be specified`,
  })
}

export const SoughtVector = z
  .custom<number[] | GivenVector>(
    (value) => value instanceof GivenVector || isNumberArray(value),
    'must be an array of numbers',
  )
  .transform((value) => (value instanceof GivenVector ? value : new GivenVector(value)))
  .openapi({ type: 'array', items: { type: 'number' } })

export const SearchAnswer = z
  .object({
    $schema: z.url().openapi({ description: 'Where the JSON Schema of this answer is.' }),
    user_handle: UserHandle.openapi({ description: "The project's owner." }),
    project_handle: z.string(),
    results: z.array(
      z.object({
        id: z.string().openapi({ description: 'The text_id.' }),
        similarity: z.number().min(0).max(1).openapi({ description: 'Cosine similarity.' }),
      }),
    ),
  })
  .openapi('SimilarityResponse')

export const exampleAnswer = {
  $schema: 'http://localhost:8880/v1/schemas/similarity-response.json',
  user_handle: 'alice',
  project_handle: 'verses',
  results: [{ id: 'mark-1-11', similarity: 0.9003 }],
}

/** What a search is to do, from validated query parameters. */
export function searchOptions(query: OptionValues): SearchOptions {
  const { count, limit, threshold = 0.5, exact = false, min_recall: minRecall } = query
  const { metadata_path: path, metadata_value: value } = query
  const sizes = [count, limit].filter((size) => size !== undefined)
  const page = pageOf({ ...query, limit: sizes.length === 0 ? undefined : Math.min(...sizes) })
  const exclude =
    path === undefined || value === undefined
      ? undefined
      : { path: parsePath(path, 'metadata_path'), value }
  return { ...page, threshold, exclude, exact, minRecall }
}
