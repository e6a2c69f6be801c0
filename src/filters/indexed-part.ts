import { type Filter, isOfMetadata } from './filter.ts'
import { comparisons } from './operators.ts'
import { comparisonsOf } from './path-predicate.ts'

/**
 * Everything that the index finds is compared again, however large it is, so this limits the
 * comparisons.
 */
const maxComparisons = 40

/**
 * The part of a filter that a GIN index of jsonb_path_ops can evaluate: equality with values of the
 * metadata, and combinations by `and` and `or`. It holds for every embedding for which the filter
 * holds. Source: PostgreSQL "jsonb Indexing".
 * @returns undefined if the index cannot evaluate any part, or if the filter is about text_ids or
 *   times as well: for those, the planner would rather read the keys of all projects
 */
export function indexedPart(filter: Filter): Filter | undefined {
  const part = isOfMetadata(filter) ? partOf(filter) : undefined
  return part && bounded(part)
}

/** Reduces a part that is too long to its first conditions, which match more embeddings. */
function bounded(part: Filter): Filter | undefined {
  if (comparisonsOf(part) <= maxComparisons) return part
  if (part.is !== 'and') return undefined
  const of = part.of.slice(0, Math.floor(part.of.length / 2))
  return of.length === 0 ? undefined : bounded({ is: 'and', of })
}

function partOf(filter: Filter): Filter | undefined {
  switch (filter.is) {
    case 'and':
    case 'or': {
      const of = filter.of.flatMap((each) => partOf(each) ?? [])
      const isLost = of.length === 0 || (filter.is === 'or' && of.length < filter.of.length)
      return isLost ? undefined : { is: filter.is, of }
    }
    case 'not':
    case 'there':
      return undefined
    default:
      return comparisons[filter.is].isIndexed && filter.values.length > 0 ? filter : undefined
  }
}
