import { describe, expect, it } from 'vitest'
import { kernelOn, newMemory } from '../../src/search/memory/kernels.ts'
import { randomNumbers } from '../shared/random-numbers.ts'

const random = randomNumbers(9)
const numbers = (count: number) => Float32Array.from({ length: count }, () => random() - 0.5)
const sumOf = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0)

describe.each([16, 48, 400])('of %i dimensions', (dimensions) => {
  const bytes = dimensions / 8

  it('estimate finds the rows whose bounds reach the least', () => {
    const memory = newMemory()
    const [integers, floats] = [new Int32Array(memory.buffer), new Float32Array(memory.buffer)]
    const [tablesAt, blocksAt, runsAt, foundAt, blockBytes] = [
      2_000,
      4_000,
      192,
      32_000,
      16 * bytes + 256,
    ]
    const tables = new Uint8Array(memory.buffer, tablesAt, 32 * bytes)
    for (let at = 0; at < tables.length; at += 1) tables[at] = 64 * random()
    const [low, step, least] = [-2, 0.25, Math.fround(0.01 * bytes)]
    const expected: number[][] = []
    // Runs of one block and of two.
    const runs = [
      { first: 2, blocks: 1, base: 0.5, spread: 2 },
      { first: 0, blocks: 2, base: -0.25, spread: 3 },
    ]
    for (const [number, { first, blocks, base, spread }] of runs.entries()) {
      integers.set([blocksAt + first * blockBytes, blocks], runsAt / 4 + 4 * number)
      floats.set([base, spread], runsAt / 4 + 4 * number + 2)
      for (let row = 0; row < 16 * blocks; row += 1) {
        const at = blocksAt + (first + Math.floor(row / 16)) * blockBytes
        const codes = new Uint8Array(memory.buffer, at, 16 * bytes)
        let sum = 0
        for (let byte = 0; byte < bytes; byte += 1) {
          const code = Math.floor(256 * random())
          codes[16 * byte + (row % 16)] = code
          sum += tables[32 * byte + (code & 15)] ?? 0
          sum += tables[32 * byte + 16 + (code >> 4)] ?? 0
        }
        const [offset, factor, error] =
          row === 5 ? [Number.NaN, 0, 0] : [...numbers(3)].map((each) => Math.fround(each / 4))
        const beside = at / 4 + 4 * bytes + (row % 16)
        for (const [which, each] of [offset, factor, error].entries())
          floats[beside + 16 * which] = each ?? 0
        integers[beside + 48] = 100 * number + row
        const estimate = base + (offset ?? 0) + (factor ?? 0) * (low + step * sum)
        const bound = estimate + spread * (error ?? 0)
        if (bound >= least) expected.push([100 * number + row, estimate, bound])
      }
    }
    const estimate = kernelOn(memory, 'estimate')
    const count = estimate(tablesAt, bytes, runsAt, runsAt + 32, low, step, least, foundAt)
    expect(count).toBe(expected.length)
    expect(count).toBeGreaterThan(4)
    for (const [at, [slot, near = 0, bound = 0]] of expected.entries()) {
      expect(integers[foundAt / 4 + at]).toBe(slot)
      expect(floats[foundAt / 4 + 2_048 + at]).toBeCloseTo(near, 3)
      expect(floats[foundAt / 4 + 4_096 + at]).toBeCloseTo(bound, 3)
    }
  })

  it('addRows adds rows by their weights', () => {
    const memory = newMemory()
    const rows = new Int8Array(memory.buffer, 16_000, 5 * dimensions)
    for (let at = 0; at < rows.length; at += 1) rows[at] = Math.floor(256 * random()) - 128
    const [slots, weights] = [[3, 0, 3, 4], numbers(4)]
    new Int32Array(memory.buffer, 1_000, 4).set(slots)
    new Float32Array(memory.buffer, 1_100, 4).set(weights)
    const sum = new Float32Array(memory.buffer, 2_000, dimensions).fill(1)
    kernelOn(memory, 'addRows')(2_000, 1_000, 4, 16_000, dimensions, 1_100)
    for (const [at, each] of sum.entries()) {
      const parts = slots.map(
        (slot, of) => (weights[of] ?? 0) * (rows[slot * dimensions + at] ?? 0),
      )
      expect(each).toBeCloseTo(1 + sumOf(parts), 3)
    }
  })
})
