/** Rows that the kernels take in one call. */
export const callRows = 2_048
/** Numbers that say where a run is and what its list is like, each of four bytes. */
const numbersOfRun = 4
/** Bytes of the runs of a call: a run has one block of 16 rows at least. */
export const runsBytes = 4 * numbersOfRun * (callRows / 16)

/**
 * Writes the runs of one call after the other as the kernel reads them: see kernels.wat.
 * @param runs of each its address, its blocks, and the base and spread of its list
 * @returns how many bytes the runs of each call take
 */
export function* callsOf(
  runs: readonly number[],
  buffer: ArrayBuffer,
  address: number,
): Generator<number, undefined> {
  const integers = new Int32Array(buffer, address, runsBytes / 4)
  const floats = new Float32Array(buffer, address, runsBytes / 4)
  let [at, rows] = [0, 0]
  for (let i = 0; i < runs.length; i += numbersOfRun) {
    const count = 16 * (runs[i + 1] ?? 0)
    if (rows + count > callRows) {
      yield 4 * at
      at = 0
      rows = 0
    }
    integers[at] = runs[i] ?? 0
    integers[at + 1] = runs[i + 1] ?? 0
    floats[at + 2] = runs[i + 2] ?? 0
    floats[at + 3] = runs[i + 3] ?? 0
    at += numbersOfRun
    rows += count
  }
  if (at > 0) yield 4 * at
}
