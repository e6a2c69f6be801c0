// biome-ignore-all lint/style/noExcessiveLinesPerFile: all parameters of a search in one table
import { z } from '@hono/zod-openapi'
import { noParts } from '../../embeddings/projection.ts'
import {
  IncludeInBody,
  includeParameter,
  maxTextId,
  resultPartNames,
  TextId,
  VectorFormatInBody,
  vectorFormat,
} from '../../embeddings/schemas.ts'
import { badRequest } from '../../errors.ts'
import { parsePath } from '../../filters/metadata-path.ts'
import { FilterInBody, filterParameter } from '../../filters/schemas.ts'
import {
  closedObject,
  flag,
  isAtMost,
  maxOffset,
  maxPage,
  offset,
  pageSize,
  text,
} from '../../http/schemas.ts'
import { type SearchOptions, type Shown, usualSearch } from '../options.ts'

const maxGroupSize = 20

/** Defaults. Sending one counts as not sending the option, when body and URL are merged. */
const usual = {
  ...usualSearch,
  count: usualSearch.limit,
  include: noParts,
  vector_format: 'json',
  group_size: 1,
  include_self: usualSearch.includeSelf,
} as const

/** Descriptions of the options, for both the URL and the body. */
const descriptions = {
  threshold: `Minimum similarity of results. Default: ${usual.threshold}.`,
  min_percentile: `The smallest share of random pairs of the project's texts that are less similar than a result: 0.99 leaves out what is as similar as one of a hundred pairs by chance.

- If threshold is given too, results reach both; otherwise its default does not count.
- 422 if the project has no scale (see its statistics), 503 while its vectors are being read into memory.
- Words alone ignore it.`,
  diversity: `How different results are to be from each other. Default: 0.

- Of the best 10 × limit, each next one is that with the largest (1 − diversity) × similarity − diversity × (its largest similarity to one before it): maximal marginal relevance. Results are in this order.
- It works without offset, group_by and words.
- It needs the vectors in memory: 503 while they are being read, 422 if there is no room for them.`,
  min_recall:
    'The share of the ten most similar that a search must find on average. Default: 0.99. Lower values may be faster, higher ones slower: above 0.99, every vector is compared if they are not in memory (in projects up to max_scan_components of /v1/limits).',
  count: `Number of results. Default: limit, or else ${usual.count}.`,
  limit: 'Same as count. If both are given, the smaller one counts.',
  offset: 'Number of results to skip. Default: 0.',
  metadata_path:
    'A metadata field in dot notation, for example ref.book (a backslash escapes a dot). Documents whose field equals metadata_value are excluded.',
  metadata_value:
    'Compared as text with the scalar at metadata_path, or with each element of an array there.',
  exact: 'Force an exact search. See the header X-Search-Mode of the answer.',
  include_self: 'Also return the source document itself.',
  totals:
    'Also count all documents whose similarity reaches the threshold (total_similar). This compares every vector. With words alone: all documents that match them; with a vector, the words leave none out of this number.',
  words:
    'Words to find in the texts, ranked by BM25; no provider is asked. With a vector, text_id or text, both rankings are fused by reciprocal rank. "Words in quotes" must stand together, -word leaves documents out, and beginn* finds words that begin so.',
  group_by: `A metadata field in dot notation. Returns the best documents for each value of the field.

- Each result has its value in group. limit and offset count groups.
- Documents without the field form one group (null). An array counts as one value.
- Values of more than 1000 characters are shown by their beginning and SHA-256.`,
  group_size: `Maximum number of results per group, for group_by. Default: ${usual.group_size}.`,
}

const maxWords = 10_000

const parameter = (name: string, maxLength = 1_000) =>
  z
    .string({ error: `${name} must be given once` })
    .refine(isAtMost(maxLength), `${name} is too long`)
    .optional()

/** A number in a URL between two others, as the message shows them. */
const decimal = (rule: RegExp, name: string, least = '0.0', most = '1.0') => {
  const message = `${name} must be between ${least} and ${most}`
  const [minimum, maximum] = [Number(least), Number(most)]
  return z
    .string({ error: message })
    .regex(rule, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, message)
    .optional()
    .openapi({ type: 'number', minimum, maximum })
}

const share = (name: string) => decimal(/^(\d(\.\d{0,30})?|\.\d{1,30})$/, name)

/** Search options in a URL. */
const options = {
  count: pageSize('count').describe(descriptions.count),
  limit: pageSize('limit').describe(descriptions.limit),
  offset,
  threshold: decimal(/^(\d{1,20}(\.\d{0,30})?|\.\d{1,30})(e-\d{1,2})?$/i, 'threshold').describe(
    descriptions.threshold,
  ),
  min_percentile: share('min_percentile').describe(descriptions.min_percentile),
  diversity: share('diversity').describe(descriptions.diversity),
  filter: filterParameter,
  metadata_path: parameter('metadata_path').describe(descriptions.metadata_path),
  metadata_value: parameter('metadata_value').describe(descriptions.metadata_value),
  include: includeParameter('Default: only id and similarity.', resultPartNames),
  vector_format: vectorFormat,
  group_by: parameter('group_by').describe(descriptions.group_by),
  group_size: decimal(/^\d{1,3}$/, 'group_size', '1', `${maxGroupSize}`)
    .openapi({ type: 'integer' })
    .describe(descriptions.group_size),
  totals: flag('totals', descriptions.totals),
  min_recall: decimal(/^0?\.9\d{0,30}$/, 'min_recall', '0.9', '0.999').describe(
    descriptions.min_recall,
  ),
  exact: flag('exact', descriptions.exact),
  include_self: flag('include_self', descriptions.include_self),
}

const weight = z.number().min(0).max(1_000).optional()
const Weights = closedObject({ vector: weight, words: weight })
  .refine(
    ({ vector = 1, words = 1 }) => vector + words > 0,
    'vector or words must be greater than 0',
  )
  .describe('How much each ranking counts in a search by a vector and words. Default: 1 for both.')

const bodyFlag = (description: string) =>
  z.boolean().optional().describe(`${description} Default: false.`)
const bodyText = text(1_000).optional()

/** The same options in a JSON body. */
export const bodyOptions = {
  count: z.int().min(1).max(maxPage).optional().describe(descriptions.count),
  limit: z.int().min(1).max(maxPage).optional().describe(descriptions.limit),
  offset: z.int().min(0).max(maxOffset).optional().describe(descriptions.offset),
  threshold: z.number().min(0).max(1).optional().describe(descriptions.threshold),
  min_percentile: z.number().min(0).max(1).optional().describe(descriptions.min_percentile),
  diversity: z.number().min(0).max(1).optional().describe(descriptions.diversity),
  filter: FilterInBody.optional(),
  metadata_path: bodyText.describe(descriptions.metadata_path),
  metadata_value: bodyText.describe(descriptions.metadata_value),
  include: IncludeInBody.optional(),
  vector_format: VectorFormatInBody.optional(),
  group_by: bodyText.describe(descriptions.group_by),
  group_size: z.int().min(1).max(maxGroupSize).optional().describe(descriptions.group_size),
  totals: bodyFlag(descriptions.totals),
  words: text(maxWords).optional().describe(descriptions.words),
  weights: Weights.optional(),
  min_recall: z.number().min(0.9).max(0.999).optional().describe(descriptions.min_recall),
  exact: bodyFlag(descriptions.exact),
  include_self: bodyFlag(descriptions.include_self),
}

export type OptionValues = {
  [Name in keyof typeof bodyOptions]?: z.output<(typeof bodyOptions)[Name]>
}

const requirements = [
  ['metadata_path', 'metadata_value'],
  ['metadata_value', 'metadata_path'],
  ['group_size', 'group_by'],
  ['weights', 'words'],
] as const

/** Checks options that require each other. */
export const requireTogether = <Values extends OptionValues>(
  values: Values,
  context: z.RefinementCtx<Values>,
) => {
  for (const [given, wanted] of requirements) {
    const value = values[given]
    if (value === undefined || values[wanted] !== undefined || isUsual(given, value)) continue
    const message = `${given} requires ${wanted} to be specified`
    context.addIssue({ code: 'custom', message })
  }
}

export const OptionsInUrl = z.object(options).superRefine(requireTogether)

/** A stored embedding, words, or both. */
export const TextIdInUrl = z
  .object({
    text_id: z
      .string({ error: 'text_id must be given once' })
      .pipe(TextId)
      .optional()
      .openapi({
        minLength: 1,
        maxLength: maxTextId,
        description: 'The stored embedding to search for.',
        param: { example: 'matthew-5-3' },
      }),
    words: parameter('words', maxWords).describe(descriptions.words),
    ...options,
  })
  .superRefine((values, context) => {
    if (values.text_id === undefined && values.words === undefined) {
      context.addIssue({ code: 'custom', message: 'text_id or words is required' })
    }
    requireTogether(values, context)
  })

/**
 * Merges the options in the body and in the URL of one request.
 * @throws 400 if both give an option different values, neither of them the default
 */
export function mergeOptions(inUrl: OptionValues, inBody: OptionValues): OptionValues {
  const others = new Map<string, unknown>(Object.entries(inUrl))
  const wanted = Object.entries(inBody).filter(([name, value]) => {
    const other = others.get(name)
    if (value === undefined || other === undefined) return value !== undefined
    if (isUsual(name, other) || isSame(value, other)) return true
    if (isUsual(name, value)) return false
    throw badRequest(`${name} in the body differs from ${name} in the URL; give it once`)
  })
  return { ...inUrl, ...Object.fromEntries(wanted) }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
const usualOf = new Map<string, unknown>(Object.entries(usual))
const isUsual = (name: string, value: unknown) => isSame(value, usualOf.get(name))

/**
 * Converts validated options to those of a search.
 * @throws 400 if highlights are wanted without words, which may be in the body, if options exclude
 *   each other, or if a path is wrong
 */
export function searchOptions(values: OptionValues): SearchOptions {
  if (values.include?.highlights && values.words === undefined) {
    throw badRequest('highlights requires words to be specified')
  }
  const excluded = (['offset', 'group_by', 'words'] as const).find((name) => values[name])
  if (values.diversity && excluded !== undefined) {
    throw badRequest(`diversity does not work with ${excluded}; limit may be up to ${maxPage}`)
  }
  const { count, limit, metadata_path: path, metadata_value: value, words } = values
  const { group_by, group_size: size = usual.group_size } = values
  const { vector = 1, words: ofWords = 1 } = values.weights ?? {}
  return {
    limit: Math.min(count ?? maxPage, limit ?? maxPage, count ?? limit ?? usual.limit),
    offset: values.offset ?? usual.offset,
    threshold: values.threshold ?? (values.min_percentile === undefined ? usual.threshold : 0),
    minPercentile: values.min_percentile,
    percentile: values.include?.percentile ?? false,
    diversity: values.diversity ?? usual.diversity,
    exclude:
      path === undefined || value === undefined
        ? undefined
        : { path: parsePath(path, 'metadata_path'), value },
    filter: values.filter,
    exact: values.exact ?? usual.exact,
    minRecall: values.min_recall,
    includeSelf: values.include_self ?? usual.include_self,
    grouping: group_by === undefined ? undefined : { path: parsePath(group_by, 'group_by'), size },
    totals: values.totals ?? usual.totals,
    around: values.include?.around ?? false,
    words: words === undefined ? undefined : { words, weights: { vector, words: ofWords } },
  }
}

/** What an answer shows of each result. */
export const shownBy = ({ include, vector_format, words = '' }: OptionValues): Shown => ({
  parts: include ?? usual.include,
  vectorFormat: vector_format ?? usual.vector_format,
  words,
})
