import { z } from '@hono/zod-openapi'
import { nearest } from '../did-you-mean.ts'
import { storableText, text, UserHandle } from '../http/schemas.ts'
import { isObject } from '../json/parse.ts'
import { vectorFromBase64 } from '../vectors/encoding.ts'
import { isVector, type VectorElements } from '../vectors/float32.ts'
import type { Metadata } from './metadata.ts'
import { partNames, type ResultParts, vectorFormats } from './projection.ts'
import { Items } from './upload/body/items.ts'

export const maxTextId = 300
export const maxTextBytes = 1024 * 1024

export const TextId = text(maxTextId)
  .min(1, 'must not be empty')
  .describe('Unique within the project.')

export const textIdParam = {
  text_id: TextId.openapi({
    param: {
      description: 'The text_id of the embedding, percent-encoded.',
      example: 'matthew-5-3',
    },
  }),
}

/** How messages name an item of a list. */
export const textIdOf = (item: unknown) => {
  const textId: unknown = isObject(item) ? item['text_id'] : undefined
  return typeof textId === 'string' ? `text_id '${textId.slice(0, maxTextId)}'` : undefined
}

/** A number of embeddings, as messages state it. */
export const countOf = (number: number) => `${number} embedding${number === 1 ? '' : 's'}`

/** A list in a body that `createUploadReader` has read, or an array. */
export const itemList = z.unknown().transform((value, context): Items => {
  if (value instanceof Items) return value
  if (Array.isArray(value)) return new Items(value)
  context.issues.push({ code: 'invalid_type', expected: 'array', input: value })
  return z.NEVER
})

/** The text_id after which a page begins. */
export const after = z
  .string({ error: 'after must be given once' })
  .pipe(text(maxTextId).openapi({}))
  .optional()
  .openapi({
    type: 'string',
    maxLength: maxTextId,
    description:
      'Only embeddings whose text_id comes after this one in byte order; empty for the first page.',
  })

export const eitherAfterOrOffset = (
  query: { after?: string | undefined; offset?: number | undefined },
  context: z.RefinementCtx,
): void => {
  if (query.after === undefined || (query.offset ?? 0) === 0) return
  context.addIssue({
    code: 'custom',
    message: 'after and offset exclude each other; give one of them',
  })
}

/** @returns what is wrong with the first unknown name of a part */
function problemWith(names: readonly string[], known: readonly string[]): string | undefined {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return undefined
  const meant = nearest(unknown, known)
  const hint = meant === undefined ? `known are ${listed(known)}` : `did you mean ${meant}?`
  return unknown.length > 40
    ? `has an unknown name of ${unknown.length} characters; ${hint}`
    : `has no '${unknown}'; ${hint}`
}

const listed = (names: readonly string[]) =>
  `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`

/**
 * @param known the names that there are
 * @param subject the beginning of messages, which are whole sentences for a query string
 */
function partsOf(
  names: readonly string[],
  known: readonly string[],
  context: z.RefinementCtx,
  subject: string,
): ResultParts {
  const problem = problemWith(names, known)
  if (problem !== undefined) {
    context.addIssue({ code: 'custom', message: subject + problem })
    return z.NEVER
  }
  return {
    text: names.includes('text'),
    metadata: names.includes('metadata'),
    vector: names.includes('vector'),
    highlights: names.includes('highlights'),
    around: names.includes('around'),
    percentile: names.includes('percentile'),
  }
}

/** What can be shown of the results of a search. */
export const resultPartNames = [...partNames, 'highlights', 'around', 'percentile']
const describeInclude = (known: readonly string[]) =>
  `Which parts of an embedding to return: any of ${listed(known)}`

/**
 * `include=` of a query string. It remains undefined if it is not given, because lists and searches
 * have different defaults.
 * @param otherwise the description of the default in the API document
 */
export const includeParameter = (otherwise: string, known: readonly string[] = partNames) =>
  z
    .string({ error: 'include must be given once, its names with commas between them' })
    .transform((value, context) => {
      const names = value === '' ? [] : value.split(',').map((name) => name.trim())
      return partsOf(names, known, context, 'include ')
    })
    .optional()
    .openapi({
      type: 'string',
      description: `${describeInclude(known)}, separated by commas. ${otherwise}`,
    })

/** `include` of the JSON body of a search: the same names as an array. */
export const IncludeInBody = z
  .array(z.string(), { error: 'must be an array of names, such as ["text"]' })
  .max(resultPartNames.length, `must have at most ${resultPartNames.length} names`)
  .transform((value, context) => partsOf(value, resultPartNames, context, ''))
  .openapi({
    type: 'array',
    items: { type: 'string', enum: resultPartNames },
    maxItems: resultPartNames.length,
    description: `${describeInclude(resultPartNames)}. Highlights are the places of the words in the text, around the texts before and after it; percentile says how many random pairs are less similar.`,
  })

const formatDescription =
  'How vectors are written: as arrays of numbers (json, the default), or as base64 of little-endian float32, which is exact and less than half as long.'

/** `vector_format=` of a query string. */
export const vectorFormat = z
  .enum(vectorFormats, { error: 'vector_format must be json or base64' })
  .optional()
  .openapi({ type: 'string', description: formatDescription })

/** `vector_format` of a JSON body. */
export const VectorFormatInBody = z
  .enum(vectorFormats, { error: 'must be json or base64' })
  .describe(formatDescription)

/** For operations that show whole embeddings. */
export const projectionParameters = {
  include: includeParameter('Default: all of them.'),
  vector_format: vectorFormat,
}

const vectorRule = 'must be an array of numbers'
/** One check over the whole array: a schema for each element would cost more than parsing it. */
export const VectorNumbers = z
  .custom<VectorElements>(isVector)
  .openapi({ type: 'array', items: { type: 'number' } })

/** A vector in a request, as numbers or as base64. */
export const VectorInput = z
  .union([VectorNumbers, z.string()], vectorRule)
  .transform((value, context): VectorElements => {
    const elements = typeof value === 'string' ? vectorFromBase64(value) : value
    if (elements !== undefined) return elements
    const message = `${vectorRule}, or base64 of its elements as little-endian float32`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

/** Not a record schema, because that would drop the key `__proto__`. */
export const MetadataObject = z
  .custom<Metadata>(isObject, 'must be a JSON object')
  .openapi({ type: 'object', additionalProperties: true })

export const VectorDim = z.int().min(1)

export const OriginalText = storableText.refine(
  (text) => Buffer.byteLength(text) <= maxTextBytes,
  `must have at most ${maxTextBytes} bytes in UTF-8`,
)

const Embedding = z
  .object({
    text_id: z.string(),
    user_handle: UserHandle,
    project_handle: z.string(),
    instance_handle: z.string().optional(),
    vector: z
      .union([VectorNumbers, z.base64()])
      .optional()
      .describe(
        'float32 values, each as the shortest decimal that reads back to it, or base64 of them in little-endian.',
      ),
    vector_dim: VectorDim,
    text: z.string().optional(),
    metadata: MetadataObject.optional(),
    created_at: z.iso.datetime(),
  })
  .openapi('Embedding')

export const SingleEmbedding = Embedding.extend({ project_id: z.int() }).openapi('SingleEmbedding')

export const EmbeddingList = z
  .object({
    embeddings: z.array(Embedding),
    total_count: z.int(),
    limit: z.int(),
    offset: z.int(),
    after: z.string().optional(),
  })
  .openapi('EmbeddingList')

const exampleFields = {
  text_id: 'matthew-5-3',
  instance_handle: 'my-model',
  vector: [0.25, -0.5, 0.75],
  vector_dim: 3,
  text: 'Blessed are the poor in spirit',
  metadata: { ref: { book: 'Matthew', chapter: 5, verse: 3 } },
}

export const exampleUpload = { embeddings: [exampleFields] }

export const exampleEmbedding = {
  ...exampleFields,
  user_handle: 'alice',
  project_handle: 'verses',
  created_at: '2026-11-21T20:25:06.000Z',
}

/** Errors that the operations on embeddings share. */
export const notFoundMessage = {
  404: [
    'There is no such project or embedding',
    "Embedding 'matthew-5-3' not found in project 'alice/verses'",
  ],
} as const
export const forbiddenMessage = { 403: "Another user's project, or a role that is too low" }
