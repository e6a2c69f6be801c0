import type { Filter } from './filter.ts'

/**
 * What a GIN index of jsonb_path_ops finds the embeddings of: equal values of the metadata, and what is
 * made of them by `and` and `or`. Every embedding for which the filter holds is among them.
 * Source: PostgreSQL "jsonb Indexing".
 * @returns undefined where an index says nothing of the filter
 */
export function indexedPart(filter: Filter): Filter | undefined {
  switch (filter.is) {
    case 'and': {
      const of = filter.of.flatMap((each) => indexedPart(each) ?? [])
      return of.length === 0 ? undefined : { is: 'and', of }
    }
    case 'or': {
      const of = filter.of.flatMap((each) => indexedPart(each) ?? [])
      return of.length === filter.of.length && of.length > 0 ? { is: 'or', of } : undefined
    }
    case 'in':
      return filter.field.of === 'metadata' && filter.values.length > 0 ? filter : undefined
    default:
      return undefined
  }
}
