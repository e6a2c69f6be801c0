import type { IndexKind } from '../../db/pgvector.ts'
import type { RecallCurve } from './recall/recall-curve.ts'

/** The size of a project's vectors. */
export interface CollectionSize {
  readonly collectionId: number
  readonly vectors: number
  readonly dimensions: number
}

/** The partial HNSW index of one project's collection. */
export interface SearchIndex extends CollectionSize {
  readonly kind: IndexKind
  /** The measured recall; undefined before a measurement. */
  readonly recall?: RecallCurve | undefined
}

export interface IndexLimits {
  /** Components (vectors × dimensions) up to which a project is always searched exactly. */
  readonly exactBudget: number
  /** Planning any query looks at every index of the table, so their number is limited. */
  readonly maxIndexes: number
  /** For how long a project must hardly have grown before its index is built. */
  readonly settleSeconds: number
}

/**
 * An index is built above the budget and dropped below this part of it, so that it does not come
 * and go.
 */
const keptAbove = 0.5
/** If there are too many large projects, one must be this many times larger to replace another. */
const replacingFactor = 2
/** Growth over `settleSeconds` up to which a project counts as no longer being filled. */
const settledGrowth = 1.02

/** Components above which recall is not measured, since comparing would take minutes. */
const maxMeasured = 10e9

export const components = ({ vectors, dimensions }: CollectionSize) => vectors * dimensions

export const isMeasurable = (size: CollectionSize) => components(size) <= maxMeasured

export const keepsIndex = (size: CollectionSize, { exactBudget }: IndexLimits) =>
  components(size) > exactBudget * keptAbove

/** The collections that should have an index, the largest first. */
export function collectionsToIndex<Size extends CollectionSize>(
  sizes: Iterable<Size>,
  indexed: { has(collectionId: number): boolean },
  limits: IndexLimits,
): Size[] {
  const isIndexed = ({ collectionId }: Size) => indexed.has(collectionId)
  const weight = (size: Size) => components(size) * (isIndexed(size) ? replacingFactor : 1)
  return [...sizes]
    .filter((size) =>
      isIndexed(size) ? keepsIndex(size, limits) : components(size) > limits.exactBudget,
    )
    .sort((a, b) => weight(b) - weight(a) || a.collectionId - b.collectionId)
    .slice(0, limits.maxIndexes)
}

/** Whether a project has nearly stopped growing, so that its index is built only once. */
export const isSettled = (vectors: number, before: number) => vectors <= before * settledGrowth

/** The PostgreSQL settings that limit its locks. */
interface LockSpace {
  readonly locksPerTransaction: number
  readonly maxConnections: number
}

/**
 * How many indexes the table can have. A statement on the table locks all of them, and PostgreSQL
 * has room for twice `locksPerTransaction` × `maxConnections` locks, for everything that it serves.
 * Half of that is for the connections of this service, if all are busy at once.
 */
export const roomForIndexes = (
  { locksPerTransaction, maxConnections }: LockSpace,
  connections: number,
) => Math.floor((locksPerTransaction * maxConnections) / connections)
