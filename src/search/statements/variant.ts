import type { CompiledFilter } from '../../filters/condition.ts'
import { pathNames, valuesWithText } from './metadata-filter.ts'
import type { Query } from './query.ts'

/** What the text of a search statement depends on. Everything else is a placeholder value. */
export interface Variant {
  readonly source: 'text_id' | 'vector'
  readonly withoutSelf: boolean
  /** Length of the metadata path; 0 without a filter. */
  readonly depth: number
  readonly excludesIds: boolean
  /** The form of the filter; '' without one. */
  readonly filterForm: string
  /** Equal for equal forms. The cache key is JSON, which omits it. */
  readonly condition: CompiledFilter['condition'] | undefined
  /** Equal for equal forms; not in the cache key either. */
  readonly indexed: CompiledFilter['indexed'] | undefined
}

export const variantOf = (
  { source, includeSelf, exclude, filter }: Query,
  excludedIds: readonly string[],
): Variant => ({
  source: 'textId' in source ? 'text_id' : 'vector',
  withoutSelf: 'textId' in source && !includeSelf,
  depth: exclude?.path.length ?? 0,
  excludesIds: excludedIds.length > 0,
  filterForm: filter?.form ?? '',
  condition: filter?.condition,
  indexed: filter?.indexed,
})

/** The values of the placeholders, by name. */
export function valuesOf(query: Query, excludedIds: readonly string[]) {
  const { collectionId, dimensions, source, vectorText, exclude, filter } = query
  const names = pathNames(exclude?.path.length ?? 0)
  return {
    collectionId,
    dimensions,
    ...('textId' in source ? source : { vector: vectorText }),
    ...filter?.values,
    excludedIds: JSON.stringify(excludedIds),
    values: exclude && valuesWithText(exclude.value),
    ...Object.fromEntries(names.map((name, step) => [name, exclude?.path[step]])),
  }
}
