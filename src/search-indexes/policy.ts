import type { IndexKind } from '../db/pgvector.ts'
import type { RecallCurve } from './recall/recall-curve.ts'

/** What the vectors of a project amount to. */
export interface CollectionSize {
  readonly collectionId: number
  readonly vectors: number
  readonly dimensions: number
}

/** The partial HNSW index of one project's collection. */
export interface SearchIndex extends CollectionSize {
  readonly kind: IndexKind
  /** What was measured of it; undefined before that. */
  readonly recall?: RecallCurve | undefined
}

export interface IndexLimits {
  /** Components (vectors × dimensions) up to which a project is always searched exactly. */
  readonly exactBudget: number
  /** Planning any query looks at every index of the table, so that there must not be too many. */
  readonly maxIndexes: number
  /** Over how long a project must hardly have grown before its index is built, though uploads go on. */
  readonly settleSeconds: number
  /** How long there must have been no upload before it is built at once. */
  readonly quietSeconds: { readonly least: number; readonly most: number }
}

/** The uploads to a project so far. */
export interface Uploads {
  /** Seconds since the last one; null when it is not known. */
  readonly sinceAdded: number | null
  /** Seconds between two of the present burst, at most; null while it consists of one. */
  readonly longestPause: number | null
}

/** An index is built above the budget and dropped below half of it, so that it does not come and go. */
const keptAbove = 0.5
/** Where there are more than may be, how much larger a project must be to take another's place. */
const replacingFactor = 2
/** Growth over `settleSeconds` up to which a project counts as no longer being filled. */
const settledGrowth = 1.1

/** How much longer than any pause between the uploads of a burst the silence after its end is. */
const pauseFactor = 2
/** What the pause before a second upload is taken for. */
const unknownPauseSeconds = 2.5

/** Components above which an index is searched by the formula: comparing takes minutes. */
const maxMeasured = 10e9

export const components = ({ vectors, dimensions }: CollectionSize) => vectors * dimensions

/** Whether the recall of an index is measured: comparing all vectors with the sample takes minutes at most. */
export const isMeasurable = (size: CollectionSize) => components(size) <= maxMeasured

/** Whether a project that has an index is large enough to keep it. */
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

/** Whether a project has stopped growing fast, so that an index is built but once. */
export const isSettled = (vectors: number, before: number) => vectors <= before * settledGrowth

/**
 * In how many seconds a burst of uploads counts as one that has ended, unless more comes: after a silence
 * that tells its end from a pause in it. 0 when that is over, infinite when nothing is known.
 */
export function secondsUntilQuiet(
  { sinceAdded, longestPause }: Uploads,
  { quietSeconds: { least, most } }: IndexLimits,
): number {
  if (sinceAdded === null) return Number.POSITIVE_INFINITY
  const silence = pauseFactor * (longestPause ?? unknownPauseSeconds)
  return Math.max(0, Math.min(Math.max(silence, least), most) - sinceAdded)
}

/** What bounds the locks that a server of PostgreSQL can have. */
export interface LockSpace {
  readonly locksPerTransaction: number
  readonly maxConnections: number
}

/**
 * How many indexes the table can have: a statement on it locks each of them, and PostgreSQL has room for
 * twice `locksPerTransaction` × `maxConnections` locks held by sessions, for all that it serves. Half
 * of that is for the connections of this service, if all are busy at once.
 */
export const roomForIndexes = (
  { locksPerTransaction, maxConnections }: LockSpace,
  connections: number,
) => Math.floor((locksPerTransaction * maxConnections) / connections)
