/** The sum of signs × components is `low + step × sum of the tables' bytes`. */
export interface SignSums {
  readonly low: number
  readonly step: number
}

/**
 * Fills one table for every four components: the sums for all their signs, in steps from the least
 * sum. Sums by tables of four bits: André, Kermarrec and Le Scouarnec, Accelerated Nearest Neighbor
 * Search with Quick ADC, ICMR 2017.
 * @param tables 16 bytes for every four components
 */
export function fillSignTables(tables: Uint8Array, vector: Float32Array): SignSums {
  const groups = tables.length / 16
  let peak = 0
  for (let group = 0; group < groups; group += 1) {
    peak = Math.max(peak, sumOfSizes(vector, 4 * group, 4))
  }
  // The sum of four entries must fit into 8 bits, and the sum of all into 16.
  const step = (2 * peak) / Math.min(63, Math.floor(65_535 / groups)) || 1
  for (let group = 0; group < groups; group += 1) {
    // In steps: what each of the four components adds if its sign is positive.
    const one = (2 * (vector[4 * group] ?? 0)) / step
    const two = (2 * (vector[4 * group + 1] ?? 0)) / step
    const three = (2 * (vector[4 * group + 2] ?? 0)) / step
    const four = (2 * (vector[4 * group + 3] ?? 0)) / step
    const negative = Math.min(0, one) + Math.min(0, two) + Math.min(0, three) + Math.min(0, four)
    for (let signs = 0; signs < 16; signs += 4) {
      // Storing a number in a byte rounds down.
      const sum = 0.5 - negative + (signs & 4 ? three : 0) + (signs & 8 ? four : 0)
      const at = 16 * group + signs
      tables[at] = sum
      tables[at + 1] = sum + one
      tables[at + 2] = sum + two
      tables[at + 3] = sum + one + two
    }
  }
  return { low: -sumOfSizes(vector, 0, vector.length), step }
}

function sumOfSizes(vector: Float32Array, first: number, count: number): number {
  let sum = 0
  for (let i = first; i < first + count; i += 1) sum += Math.abs(vector[i] ?? 0)
  return sum
}
