import type { Query } from '../../../src/search/query.ts'

/** A query for a stored embedding or a vector, as the operations make it. */
export const newQuery = (
  given: Pick<Query, 'collectionId' | 'dimensions'> & Partial<Query>,
  searchedFor: string | readonly number[] = '',
): Query => ({
  threshold: 0,
  filter: undefined,
  includeSelf: false,
  without: [],
  ...(typeof searchedFor === 'string'
    ? { source: { textId: searchedFor }, vector: '' }
    : { source: { vector: Float32Array.from(searchedFor) }, vector: JSON.stringify(searchedFor) }),
  ...given,
})
