/** The ways to search, in the words of `/metrics` and `Server-Timing`. */
export type Strategy = 'memory' | 'memory-exact' | 'matches' | 'index' | 'database-exact'

/** What is known before a search. */
export interface Situation {
  /** Whether every vector is to be compared. */
  readonly exact: boolean
  readonly isFiltered: boolean
  /** Whether the project's vectors are, or may soon be, in memory. */
  readonly inMemory: boolean
  /** Whether the project has an index of the dimensions that are searched for, and what is known of it. */
  readonly index: 'none' | 'reaches' | 'falls short'
  /** Whether an exact search of the project may take as long as it takes. */
  readonly canScan: boolean
}

/**
 * How to search, best first: the next where one cannot tell. In memory a search costs least, and finds most. An
 * index that finds less than it should is for what cannot be scanned; before an index is searched for what a
 * filter keeps, all that it keeps is compared where that is little.
 */
export function strategiesFor(situation: Situation): readonly Strategy[] {
  const { exact, isFiltered, inMemory, index, canScan } = situation
  if (exact) return inMemory ? ['memory-exact', 'database-exact'] : ['database-exact']
  const first: Strategy[] = inMemory ? ['memory'] : []
  if (index === 'none' || (index === 'falls short' && canScan)) return [...first, 'database-exact']
  return isFiltered && canScan ? [...first, 'matches', 'index'] : [...first, 'index']
}
