import type { VectorRows } from '../nearest.ts'
import type { TextIdSlots } from '../text-id-slots.ts'
import { trainCentroids } from './centroids.ts'
import { MeasuredLists } from './measured-lists.ts'
import { SignCodes } from './sign-codes.ts'
import { sampleOf } from './spread.ts'

/**
 * From so many vectors on, a search may read some of the lists only. Below, it reads all: codes say more of a vector
 * the nearer its centroid is.
 */
const fewestMeasured = 60_000
/** Rows whose mean similarity with the directions of their lists is taken. */
const sampledRows = 1_000

/** In proportion to the square root, so that finding lists and reading them grow alike. */
const listsFor = (vectors: number) =>
  Math.max(1, Math.round((vectors < fewestMeasured ? 1 / 4 : 4) * Math.sqrt(vectors)))

/** Whether lists that were made of so many vectors should be made anew for so many. */
export const isOutgrown = (madeOf: number, vectors: number) =>
  vectors >= 4 * madeOf || listsFor(vectors) >= 2 * listsFor(madeOf)

/**
 * Makes codes in lists in two steps; between them, the caller lets the lists know of changes.
 * @param pause lets the thread do other work
 * @returns the lists, still empty, and what fills them with all slots and measures them
 */
export async function makeLists(
  rows: VectorRows,
  slots: Pick<TextIdSlots, 'used' | 'all' | 'isUsed'>,
  pause: () => Promise<void>,
) {
  const used = slots.used()
  const centroids = await trainCentroids(rows.bytes, used, listsFor(used.length), pause)
  const sample = sampleOf(used, sampledRows)
  // A row that was emptied meanwhile is NaN.
  const similarityOf = (slot: number) => centroids.nearest(rows.bytes, slot).similarity || 0
  let sum = 0
  for (const slot of sample) sum += similarityOf(slot)
  const codes = new SignCodes(rows, centroids, sum / Math.max(1, sample.length))
  const lists = new MeasuredLists(rows, codes)

  async function fill(): Promise<void> {
    const found = slots.all()
    const listOf = new Int32Array(found.length)
    const sizes = new Int32Array(centroids.count)
    for (const [at, slot] of found.entries()) {
      if (at % 16 === 0) await pause()
      const list = slots.isUsed(slot) ? codes.listFor(slot) : 0
      listOf[at] = list
      sizes[list] = (sizes[list] ?? 0) + 1
    }
    // The rows of a list lie one behind the other, where they are read faster.
    codes.reserve(sizes)
    for (const [at, slot] of found.entries()) {
      if (at % 16 === 0) await pause()
      // Read after the pause, during which a free slot may have been filled, which has its code then.
      if (slots.isUsed(slot) && codes.listOf(slot) === undefined) codes.add(slot, listOf[at] ?? 0)
    }
    if (used.length >= fewestMeasured) await lists.measure(slots.used(), pause)
  }

  return { lists, fill }
}
