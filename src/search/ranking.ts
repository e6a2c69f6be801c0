import type { Around } from './around/around.ts'
import type { Candidate, Query } from './query.ts'

export interface Result {
  readonly id: string
  /** Cosine similarity, 0 to 1; undefined if there was no vector to compare with. */
  readonly similarity?: number
  /** The share of random pairs that are less similar, if that was asked for. */
  readonly percentile?: number
  /** Of a search by words: BM25, or that of both rankings together. */
  readonly score?: number
  /** The places in the rankings that were fused, from 1; undefined if it is not in one. */
  readonly vectorRank?: number
  readonly wordsRank?: number
  /** BM25, of a result that was fused. */
  readonly wordsScore?: number
  /** In a search of several projects: which of them it is from, from 0. */
  readonly project?: number
  /** The value it is grouped by, as JSON text. */
  readonly group?: string
  /** One text before and one after it, if they were asked for. */
  readonly around?: Around | undefined
}

/** A page of results, most similar first, and how it was found. */
export interface Ranking {
  readonly results: Result[]
  readonly mode: 'exact' | 'approximate'
  /** How many places of the page the threshold left empty; undefined if this is unknown. */
  readonly hidden: number | undefined
  /** Whether the index was used although it may find less than required. */
  readonly lowRecall?: boolean
}

/** The recall@10 that every search is promised. */
export const promisedRecall = 0.99

/** Similarities of float32 vectors count as equal if they differ by less than this. */
export const roundingNoise = 1e-6

/**
 * How far pgvector's `cosineDistance` may be from the distance of a result. Each of its three sums
 * of n products in float32 is off by up to n × 2^-24 of the products of the norms (Higham, Accuracy
 * and Stability of Numerical Algorithms, 2002, section 3.1), and those of the norms count half: in
 * all, n × 2^-23. Below the normal range of float32, products are rounded by as much again.
 */
export const roughError = ({ dimensions }: Pick<Query, 'dimensions'>) =>
  roundingNoise + dimensions * 2 ** -22

/** The smallest similarity that reaches a threshold. */
export const minSimilarity = (threshold: number) => threshold - roundingNoise

/** Largest distance of a result, in the terms of `preciseDistance` in src/db/pgvector.ts. */
export const maxDistance = ({ threshold }: { readonly threshold: number }) =>
  1 - threshold + roundingNoise

/** Between these rough distances, only precise ones tell whether the threshold is reached. */
export const edgeOf = (query: Query) => ({
  from: maxDistance(query) - roughError(query),
  to: maxDistance(query) + roughError(query),
})

/**
 * Cosine similarity, 0 to 1. Only rounding exceeds this range, and opposite vectors, which words alone can find.
 */
export const similarityAt = (distance: number) => Math.min(1, Math.max(0, 1 - distance))

export const isSimilar = (query: Query, { distance }: Candidate) => distance <= maxDistance(query)

/**
 * Leaves out candidates below the threshold.
 * @param page what would be on the page without a threshold, nearest first
 * @param isAll whether `page` is complete
 */
export function rankingOf(
  query: Query,
  page: readonly Candidate[],
  mode: Ranking['mode'],
  isAll: boolean,
): Ranking {
  const similar = page.filter((candidate) => isSimilar(query, candidate))
  const hidden = isAll ? page.length - similar.length : undefined
  return { results: inOrder(similar), mode, hidden }
}

/** Orders by similarity, then by text_id, whichever statements found the candidates. */
export const inOrder = (page: readonly Candidate[]): Result[] =>
  page
    .map(({ id, distance }) => ({ id, similarity: similarityAt(distance) }))
    .sort((a, b) => b.similarity - a.similarity || textIdOrder(a.id, b.id))

/** The order of results that are ranked equally: by project, then by text_id. */
export const orderOfEqual = (one: Result, other: Result): number =>
  (one.project ?? 0) - (other.project ?? 0) || textIdOrder(one.id, other.id)

/** Below these, UTF-16 has the order of the bytes of UTF-8. */
const inOtherOrder = /[\ud800-\uffff]/

/** The order of text_ids, by their bytes. */
export function textIdOrder(one: string, other: string): number {
  if (one === other) return 0
  if (!inOtherOrder.test(one) && !inOtherOrder.test(other)) return one < other ? -1 : 1
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

/** What a search has found, and whether its statements have seen different vectors. */
interface Looked<Found> {
  readonly found: Found
  readonly hasChanged: boolean
}

/**
 * Looks again if something has changed meanwhile: what was searched for, or what was found. Only once,
 * since that may take seconds.
 */
export const whileStill =
  <Asked extends unknown[], Found>(look: (...asked: Asked) => Promise<Looked<Found>>) =>
  async (...asked: Asked): Promise<Found> => {
    const { found, hasChanged } = await look(...asked)
    return hasChanged ? (await look(...asked)).found : found
  }

/** Whether vectors differ from those of before, which were compared roughly. */
export function haveChanged(
  query: Query,
  before: readonly Candidate[],
  now: readonly Candidate[],
): boolean {
  const error = roughError(query)
  const distances = new Map(before.map(({ id, distance }) => [id, distance]))
  return now.some(({ id, distance }) => Math.abs(distance - (distances.get(id) ?? 0)) > error)
}
