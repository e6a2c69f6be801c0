/** The metadata of an embedding. */
export interface Metadata {
  /** Some sixty values, some of them much more frequent than others. */
  readonly book: string
  /** A place in a random order. */
  readonly any: number
  /** How many are more similar to the first query: queries near that one have low numbers near them. */
  readonly near: number
}

/** What a search keeps: what is not of the book of its query, or a range that all queries share. */
export type Filter = 'other books' | Range

export interface Range {
  readonly field: 'any' | 'near'
  readonly operator: 'gte' | 'lt'
  readonly bound: number
}

/** What a search asks for beside the ten nearest. */
export interface Ask {
  readonly filter?: Filter
  /** Everything is to be compared. */
  readonly exact?: true
}

export function keeps(filter: Filter, stored: Metadata, query: Metadata): boolean {
  if (filter === 'other books') return stored.book !== query.book
  const { field, operator, bound } = filter
  return operator === 'gte' ? stored[field] >= bound : stored[field] < bound
}
