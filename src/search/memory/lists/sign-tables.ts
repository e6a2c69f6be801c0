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
  const sums = new Float64Array(16)
  for (let group = 0; group < groups; group += 1) {
    sums[0] = 0
    for (let bit = 0; bit < 4; bit += 1) {
      sums[0] += Math.max(0, -2 * (vector[4 * group + bit] ?? 0))
    }
    for (let signs = 1; signs < 16; signs += 1) {
      const component = vector[4 * group + 31 - Math.clz32(signs & -signs)] ?? 0
      sums[signs] = (sums[signs & (signs - 1)] ?? 0) + 2 * component
    }
    for (let signs = 0; signs < 16; signs += 1) {
      tables[16 * group + signs] = Math.round((sums[signs] ?? 0) / step)
    }
  }
  return { low: -sumOfSizes(vector, 0, vector.length), step }
}

function sumOfSizes(vector: Float32Array, first: number, count: number): number {
  let sum = 0
  for (let i = first; i < first + count; i += 1) sum += Math.abs(vector[i] ?? 0)
  return sum
}
