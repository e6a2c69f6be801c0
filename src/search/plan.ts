/** The ways to search, named as in `/metrics` and `Server-Timing`. */
export type Strategy = 'memory' | 'memory-exact' | 'matches' | 'index' | 'database-exact'

/** What is known about a search before it runs. */
export interface Situation {
  /** Whether every vector has to be compared. */
  readonly exact: boolean
  readonly isFiltered: boolean
  /** Whether the project's vectors are in memory, or may soon be. */
  readonly inMemory: boolean
  /** Whether an index has the query's dimensions, and whether its measured recall suffices. */
  readonly index: 'none' | 'reaches' | 'falls short'
  /** Whether the project is small enough for comparing every vector in the database. */
  readonly canScan: boolean
}

/**
 * The strategies to try, best first: if one cannot answer, the next is tried. Memory costs least
 * and finds most. An index with too little recall is used only if the project is too large to scan.
 * A filtered search compares all that the filter keeps, if that is little; otherwise it uses the
 * index.
 */
export function strategiesFor(situation: Situation): readonly Strategy[] {
  const { exact, isFiltered, inMemory, index, canScan } = situation
  if (exact) return inMemory ? ['memory-exact', 'database-exact'] : ['database-exact']
  const first: Strategy[] = inMemory ? ['memory'] : []
  if (index === 'none' || (index === 'falls short' && canScan)) return [...first, 'database-exact']
  return isFiltered && canScan ? [...first, 'matches', 'index'] : [...first, 'index']
}
