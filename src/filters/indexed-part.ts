import { type Filter, isOfMetadata } from './filter.ts'

/**
 * What a GIN index of jsonb_path_ops finds the embeddings of: equal values of the metadata, and what is
 * made of them by `and` and `or`. Every embedding for which the filter holds is among them.
 * Source: PostgreSQL "jsonb Indexing".
 * @returns undefined where the index says nothing of the filter, or where it is about text_ids or times as
 *   well: the planner would rather read the keys of all projects for those
 */
export const indexedPart = (filter: Filter): Filter | undefined =>
  isOfMetadata(filter) ? partOf(filter) : undefined

function partOf(filter: Filter): Filter | undefined {
  switch (filter.is) {
    case 'and': {
      const of = filter.of.flatMap((each) => partOf(each) ?? [])
      return of.length === 0 ? undefined : { is: 'and', of }
    }
    case 'or': {
      const of = filter.of.flatMap((each) => partOf(each) ?? [])
      return of.length === filter.of.length && of.length > 0 ? { is: 'or', of } : undefined
    }
    case 'in':
      return filter.values.length > 0 ? filter : undefined
    default:
      return undefined
  }
}
