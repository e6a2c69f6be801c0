import { sampleOf } from './lists/spread.ts'
import type { VectorRows } from './nearest.ts'

/** How similar the texts of a project are: a sample, ascending. */
export interface SimilarityScale {
  /** Cosine similarities of random pairs. */
  readonly pairs: Float64Array
  /** Cosine similarities of some texts to the text nearest to each. */
  readonly nearest: Float64Array
  /** How many texts there were, at which revision and when. */
  readonly texts: number
  readonly revision: number
  readonly measuredAt: Date
}

const maxPairs = 10_000
const maxNearest = 200

/** What is measured. */
interface Sampled {
  readonly rows: VectorRows
  /** At least two. */
  readonly slots: Int32Array
  readonly revision: number
  /** The distance of a slot to the nearest other; undefined if that is unknown. */
  readonly nearestOther: (slot: number) => number | undefined
}

/** Whether the number of texts has changed by half since. */
export const isScaleOutgrown = ({ texts }: SimilarityScale, vectors: number) =>
  Math.abs(vectors - texts) > texts / 2

/** @param pause lets the thread do other work */
export async function measureScale(
  { rows: { floats }, slots, revision, nearestOther }: Sampled,
  pause: () => Promise<void>,
): Promise<SimilarityScale> {
  const texts = slots.length
  const slotAt = (place: number) => slots[place % texts] ?? 0
  const pairs = new Float64Array(maxPairs)
  for (let at = 0; at < maxPairs; at += 1) {
    const one = Math.floor(Math.random() * texts)
    const other = one + 1 + Math.floor(Math.random() * (texts - 1))
    pairs[at] = 1 - floats.distance(floats.of(slotAt(one)), slotAt(other))
    await pause()
  }
  const nearest: number[] = []
  for (const slot of sampleOf(slots, maxNearest)) {
    const distance = nearestOther(slot)
    if (distance !== undefined) nearest.push(1 - distance)
    await pause()
  }
  const measuredAt = new Date()
  return {
    pairs: pairs.sort(),
    nearest: Float64Array.from(nearest).sort(),
    texts,
    revision,
    measuredAt,
  }
}
