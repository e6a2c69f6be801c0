import type { Run } from './blocks.ts'

/** Rows that the kernels take in one call. */
export const callRows = 2_048
/** Numbers that say where a run is and what its list is like, each of four bytes. */
const numbersOfRun = 4
/** Bytes of the runs of a call: a run has one block of 16 rows at least. */
export const runsBytes = 4 * numbersOfRun * (callRows / 16)

/** A run of a list, and what its estimates have in common. */
export interface RunOfList extends Run {
  readonly base: number
  readonly spread: number
}

/**
 * Writes the runs of one call after the other as the kernel reads them: see kernels.wat.
 * @param runs are asked for as they are needed
 * @returns how many bytes the runs of each call take
 */
export function* callsOf(
  runs: Iterable<RunOfList>,
  buffer: ArrayBuffer,
  address: number,
): Generator<number, undefined> {
  const integers = new Int32Array(buffer, address, runsBytes / 4)
  const floats = new Float32Array(buffer, address, runsBytes / 4)
  let [at, rows] = [0, 0]
  for (const run of runs) {
    const count = 16 * run.blocks
    if (rows + count > callRows) {
      yield 4 * at
      at = 0
      rows = 0
    }
    integers[at] = run.address
    integers[at + 1] = run.blocks
    floats[at + 2] = run.base
    floats[at + 3] = run.spread
    at += numbersOfRun
    rows += count
  }
  if (at > 0) yield 4 * at
}
