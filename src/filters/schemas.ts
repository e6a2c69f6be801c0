import { z } from '@hono/zod-openapi'
import { badRequest } from '../errors.ts'
import type { Filter } from './filter.ts'
import { operators } from './operators.ts'
import {
  maxFilterDepth,
  maxFilterNodes,
  maxFilterValues,
  maxMetadataValues,
  parseFilter,
  readFilter,
} from './parse.ts'

const example = { 'ref.book': { $in: ['Mark', 'Luke'] }, year: { $gte: 1611 } }

const operatorWords = [...operators].map(([name, { words }]) =>
  words ? `${name} (${words})` : name,
)

const description = `A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.

- Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
- {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
- Operators: ${operatorWords.join(' ')}, combined by $and, $or and $not.
- Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
- At most ${maxFilterDepth} levels, ${maxFilterNodes} conditions and ${maxFilterValues} values, ${maxMetadataValues} of them for metadata.`

/** A filter in a JSON body. */
export const FilterInBody = z
  .unknown()
  .transform((value, context): Filter => {
    const read = readFilter(value)
    if ('filter' in read) return read.filter
    const { path, message } = read.fault
    context.addIssue({ code: 'custom', path: [...path], message })
    return z.NEVER
  })
  .openapi({ type: 'object', additionalProperties: true, description, example })

/** A filter in a URL, as percent-encoded JSON. */
export const filterParameter = z
  .string({ error: 'filter must be given once' })
  .transform((text): Filter => parseFilter(jsonOf(text)))
  .optional()
  .openapi({
    type: 'string',
    // In the description, because the documentation page would fill an example in.
    description: `JSON, for example ${JSON.stringify(example)}. ${description}`,
  })

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message says neither where the mistake is nor what would be right.
    throw badRequest('filter must be JSON such as {"ref.book":"Mark"}, percent-encoded')
  }
}
