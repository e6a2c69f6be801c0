import type { Query } from '../../../src/search/statements/query.ts'

/** A query for a stored embedding or a vector, as the operations make it. */
export const newQuery = (
  given: Pick<Query, 'collectionId' | 'dimensions'> & Partial<Query>,
  soughtFor: string | readonly number[] = '',
): Query => ({
  threshold: 0,
  exclude: undefined,
  filter: undefined,
  includeSelf: false,
  ...(typeof soughtFor === 'string'
    ? { source: { textId: soughtFor }, vectorText: '' }
    : { source: { vector: Float32Array.from(soughtFor) }, vectorText: JSON.stringify(soughtFor) }),
  ...given,
})
