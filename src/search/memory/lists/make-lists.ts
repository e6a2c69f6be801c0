import type { VectorRows } from '../nearest.ts'
import { trainCentroids } from './centroids.ts'
import { MeasuredLists } from './measured-lists.ts'
import { SignCodes } from './sign-codes.ts'
import { spread } from './spread.ts'

/** From so many vectors on, a search may read some of the lists only; below, there is one list. */
const fewestForLists = 60_000
/** Rows whose mean similarity with the directions of their lists is taken. */
const sampledRows = 1_000

/** In proportion to the square root, so that finding lists and reading them grow alike. */
const listsFor = (vectors: number) =>
  vectors < fewestForLists ? 1 : Math.round(4 * Math.sqrt(vectors))

/** Whether lists that were made of so many vectors should be made anew for so many. */
export const isOutgrown = (madeOf: number, vectors: number) =>
  vectors >= 4 * madeOf || listsFor(vectors) >= 2 * listsFor(madeOf)

/**
 * Makes codes in lists in two steps; between them, the caller lets the lists know of changes.
 * @param pause lets the thread do other work
 * @returns the lists, still empty, and what fills them with all slots and measures them
 */
export async function makeLists(
  module: WebAssembly.Module,
  rows: VectorRows,
  slots: Int32Array,
  pause: () => Promise<void>,
) {
  const centroids = await trainCentroids(module, rows.bytes, slots, listsFor(slots.length), pause)
  let [sum, seen] = [0, 0]
  for (const at of spread(slots.length)) {
    if (seen === sampledRows) break
    const similarity = centroids.similarityOf(rows.bytes, slots[at] ?? 0)
    // A row that was emptied meanwhile is NaN.
    if (!Number.isNaN(similarity)) sum += similarity
    seen += 1
  }
  const codes = new SignCodes(module, rows, centroids, sum / Math.max(1, seen))
  const lists = new MeasuredLists(rows, codes)

  /** @param all the slots, which may become more meanwhile @param isUsed whether a slot has a row */
  async function fill(
    all: () => Iterable<number>,
    isUsed: (slot: number) => boolean,
  ): Promise<void> {
    for (const slot of all()) {
      if (slot % 16 === 0) await pause()
      // Read after the pause, during which a free slot may have been filled.
      if (isUsed(slot) && codes.listOf(slot) === undefined) codes.set(slot)
    }
    const used = Int32Array.from(all()).filter(isUsed)
    if (centroids.count > 1) await lists.measure(used, pause)
  }

  return { lists, fill }
}
