export interface Estimate {
  /** The share of the true neighbours that were found. */
  readonly recall: number
  /** The lower bound of recall, with a confidence of 95%. */
  readonly atLeast: number
}

/** How hard the index was searched, and which recall@10 that gave. */
export interface CurvePoint extends Estimate {
  readonly efSearch: number
  readonly candidates: number
}

/** The recall measured with vectors of the project itself, at rising effort. */
export interface RecallCurve {
  /** How many vectors the index had at the time. */
  readonly vectors: number
  /** How many vectors were sampled for the queries. */
  readonly sample: number
  readonly points: readonly CurvePoint[]
}

/** The recall aimed at by default, with confidence. It is above the promised recall. */
export const usualRecall = 0.992
/** The version of the comment's format. A comment of a newer version is left alone. */
const version = 1
const regrown = 1.5
const shrunk = 0.5

const digits = (share: number) => Math.floor(share * 1e5) / 1e5

/**
 * Serializes a curve as the comment of its index: `p` has ef_search, candidates, recall and its
 * lower bound.
 */
export const toComment = ({ vectors, sample, points }: RecallCurve) =>
  JSON.stringify({
    v: version,
    n: vectors,
    s: sample,
    p: points.map(({ efSearch, candidates, recall, atLeast }) => [
      efSearch,
      candidates,
      digits(recall),
      digits(atLeast),
    ]),
  })

/** @returns undefined if the comment is missing, damaged or of another version */
export function fromComment(comment: string | null): RecallCurve | undefined {
  const { v, n, s, p } = fieldsOf(comment)
  if (v !== version || !isCount(n) || !isCount(s) || !Array.isArray(p)) return undefined
  const points = p.map(pointOf)
  const sound = points.filter((point) => point !== undefined)
  return sound.length === points.length ? { vectors: n, sample: s, points: sound } : undefined
}

/** Whether a collection has changed so much that its recall must be measured again. */
export function isOutdated(comment: string | null, vectors: number): boolean {
  const { v } = fieldsOf(comment)
  if (typeof v === 'number' && v > version) return false
  const curve = fromComment(comment)
  return curve === undefined || !describes(curve, vectors)
}

/** Whether a curve is still valid for a collection of this size. */
export const describes = (curve: RecallCurve, vectors: number) =>
  vectors <= curve.vectors * regrown && vectors >= curve.vectors * shrunk

/** The least effort that reaches this recall with confidence; undefined if none does. */
export const minEffort = ({ points }: RecallCurve, recall: number): CurvePoint | undefined =>
  points.find(({ atLeast }) => atLeast >= recall)

/**
 * As `minEffort`; if a few bad searches leave no confidence, the least effort that reaches it on
 * average.
 */
export const lowerBound = (curve: RecallCurve, recall: number): CurvePoint | undefined =>
  minEffort(curve, recall) ?? curve.points.find((point) => point.recall >= recall)

function fieldsOf(comment: string | null): Record<string, unknown> {
  if (comment === null || !comment.startsWith('{')) return {}
  try {
    return JSON.parse(comment)
  } catch {
    return {}
  }
}

function pointOf(point: unknown): CurvePoint | undefined {
  if (!Array.isArray(point) || !point.every(isNumber)) return undefined
  const [efSearch, candidates, recall, atLeast] = point
  if (!isWithin(efSearch, 1, 1_000) || !isWithin(candidates, 1, 1_000)) return undefined
  if (!isShare(recall) || !isShare(atLeast)) return undefined
  return { efSearch, candidates, recall, atLeast }
}

const isNumber = (value: unknown): value is number => typeof value === 'number'
const isCount = (value: unknown): value is number => isNumber(value) && Number.isSafeInteger(value)
const isWithin = (value: number | undefined, least: number, most: number): value is number =>
  Number.isInteger(value) && value !== undefined && value >= least && value <= most
const isShare = (value: number | undefined): value is number =>
  value !== undefined && value >= 0 && value <= 1
