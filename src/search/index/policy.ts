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
  /** For how long a project must hardly have grown before its index is built during uploads. */
  readonly settleSeconds: number
  /** For how long there must have been no upload before the index is built at once. */
  readonly quietSeconds: { readonly least: number; readonly most: number }
}

/** The uploads to a project so far. */
export interface Uploads {
  /** Seconds since the last upload; null if unknown. */
  readonly sinceAdded: number | null
  /**
   * The longest pause between uploads of the present burst, in seconds; null after a single upload.
   */
  readonly longestPause: number | null
}

/**
 * An index is built above the budget and dropped below this part of it, so that it does not come
 * and go.
 */
const keptAbove = 0.5
/** If there are too many large projects, one must be this many times larger to replace another. */
const replacingFactor = 2
/** Growth over `settleSeconds` up to which a project counts as no longer being filled. */
const settledGrowth = 1.1

/** The silence that ends a burst is this many times its longest pause. */
const pauseFactor = 2
/** The assumed pause before a second upload. */
const unknownPauseSeconds = 2.5

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

/**
 * Seconds until a burst of uploads counts as ended, unless more arrives. The silence must be long
 * enough to tell the end of a burst from a pause in it. 0 if the burst has ended, infinite if
 * nothing is known.
 */
export function secondsUntilQuiet(
  { sinceAdded, longestPause }: Uploads,
  { quietSeconds: { least, most } }: IndexLimits,
): number {
  if (sinceAdded === null) return Number.POSITIVE_INFINITY
  const silence = pauseFactor * (longestPause ?? unknownPauseSeconds)
  return Math.max(0, Math.min(Math.max(silence, least), most) - sinceAdded)
}

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
