import { z } from '@hono/zod-openapi'
import { nearest } from '../../did-you-mean.ts'
import { type Parts, partNames, vectorFormats } from './parts.ts'

const maxShown = 40
const choice = `${partNames.slice(0, -1).join(', ')} and ${partNames.at(-1)}`

/** @returns what is wrong with the first unknown name */
function problemWith(given: readonly string[]): string | undefined {
  const unknown = given.find((name) => !partNames.some((known) => known === name))
  if (unknown === undefined) return undefined
  const meant = nearest(unknown, partNames)
  const hint = meant === undefined ? `known are ${choice}` : `did you mean ${meant}?`
  return unknown.length > maxShown
    ? `has an unknown name of ${unknown.length} characters; ${hint}`
    : `has no '${unknown}'; ${hint}`
}

/** @param subject the beginning of messages, which are whole sentences for a query string */
function partsOf(given: readonly string[], context: z.RefinementCtx, subject: string): Parts {
  const problem = problemWith(given)
  if (problem !== undefined) {
    context.addIssue({ code: 'custom', message: subject + problem })
    return z.NEVER
  }
  const isGiven = (name: keyof Parts) => given.includes(name)
  return { text: isGiven('text'), metadata: isGiven('metadata'), vector: isGiven('vector') }
}

const description =
  'Which parts of an embedding to return, in addition to its ids, vector_dim and dates: any of text, metadata and vector'

/**
 * `include=` of a query string. It remains undefined if it is not given, because lists and searches
 * have different defaults.
 * @param otherwise the description of the default in the API document
 */
export const includeParameter = (otherwise: string) =>
  z
    .string({ error: 'include must be given once, its names with commas between them' })
    .transform(
      (value, context): Parts =>
        partsOf(
          value === '' ? [] : value.split(',').map((name) => name.trim()),
          context,
          'include ',
        ),
    )
    .optional()
    .openapi({
      type: 'string',
      description: `${description}, separated by commas, for example text,metadata. Empty for none. ${otherwise}`,
    })

/** `include` of a JSON body: the same names as an array. */
export const IncludeInBody = z
  .array(z.string(), { error: 'must be an array of names, such as ["text"]' })
  .max(partNames.length, `must have at most ${partNames.length} names`)
  .transform((value, context): Parts => partsOf(value, context, ''))
  .openapi({
    type: 'array',
    items: { type: 'string', enum: [...partNames] },
    maxItems: partNames.length,
    description: `${description}.`,
  })

const formatDescription =
  'How vectors are written. json (default): as arrays of numbers. base64: as strings of their elements as little-endian float32, which are exact and take less than half of the bytes.'

/** `vector_format=` of a query string. */
export const vectorFormat = z
  .enum(vectorFormats, { error: 'vector_format must be json or base64' })
  .optional()
  .openapi({ type: 'string', description: formatDescription })

/** `vector_format` of a JSON body. */
export const VectorFormatInBody = z
  .enum(vectorFormats, { error: 'must be json or base64' })
  .openapi({ description: formatDescription })

/** For operations that show whole embeddings. */
export const projectionParameters = {
  include: includeParameter('Default: all of them.'),
  vector_format: vectorFormat,
}
