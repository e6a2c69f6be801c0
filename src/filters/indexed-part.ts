import { type Filter, isOfMetadata } from './filter.ts'
import { comparisons } from './operators.ts'
import { comparisonsOf } from './path-predicate.ts'

/** Of what the index finds all is compared again, however large it is: with no more values than these. */
const maxComparisons = 40

/**
 * What a GIN index of jsonb_path_ops finds the embeddings of: equal values of the metadata, and what is
 * made of them by `and` and `or`. Every embedding for which the filter holds is among them.
 * Source: PostgreSQL "jsonb Indexing".
 * @returns undefined where the index says nothing of the filter, or where it is about text_ids or times as
 *   well: the planner would rather read the keys of all projects for those
 */
export function indexedPart(filter: Filter): Filter | undefined {
  const part = isOfMetadata(filter) ? partOf(filter) : undefined
  return part && bounded(part)
}

/** The first conditions of many, which find more. */
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
