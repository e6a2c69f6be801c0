import { expect, it } from 'vitest'
import { kernelOn, newMemory } from '../../src/search/memory/kernels.ts'
import { Blocks } from '../../src/search/memory/lists/blocks.ts'
import { hasRoomFor, QuantizedRows, queryOf } from '../../src/search/memory/quantized-rows.ts'
import { randomNumbers } from '../shared/random-numbers.ts'

// What is not written to takes no memory of the machine.

it('rows are compared up to the last that a memory of 4 GB has room for', () => {
  const random = randomNumbers(4)
  const dimensions = 16_000
  const rows = new QuantizedRows(dimensions)
  let most = 268_000
  while (hasRoomFor({ vectors: most + 1, dimensions })) most += 1
  const slots = [0, 134_209, 134_210, 200_000, most - 1]
  const vectors = slots.map(() => Float32Array.from({ length: dimensions }, () => random() - 0.5))
  for (const [at, slot] of slots.entries()) rows.set(slot, vectors[at] ?? new Float32Array())
  for (const [at, vector] of vectors.entries()) {
    const similarities = rows.similarities(queryOf(vector), Int32Array.from(slots))
    expect(similarities.findIndex((similarity) => similarity > 0.99)).toBe(at)
    const [self] = rows.similarities(
      queryOf(rows.sumOf([slots[at] ?? 0])),
      Int32Array.from(slots.slice(at)),
    )
    expect(self).toBeGreaterThan(0.99)
  }
  expect(() => rows.set(most + 1, new Float32Array(dimensions))).toThrow(RangeError)
})

it('codes are read up to the last run that a memory of 4 GB has room for', () => {
  const memory = newMemory()
  const [begin, bytes, runsAt, foundAt] = [4_294_000_000, 2_000, 192, 4_096]
  const blocks = new Blocks(memory, begin, bytes, 2)
  blocks.reserve(Int32Array.of(6 * 64, 64))
  for (let slot = 0; slot < 20; slot += 1) blocks.add(1, slot)
  for (let slot = 0; slot < 20; slot += 1) blocks.describe(slot, slot / 100, 0, 0)
  blocks.remove(17)
  const { address, blocks: count } = blocks.runOf(1, 0) ?? expect.fail()
  expect(address).toBeGreaterThan(begin)
  new Int32Array(memory.buffer, runsAt).set([address, count])
  new Float32Array(memory.buffer, runsAt + 8).set([0.5, 0])
  const estimate = kernelOn(memory, 'estimate')
  const found = estimate(500_000, bytes, runsAt, runsAt + 16, 0, 1, 0.645, foundAt)
  expect([...new Int32Array(memory.buffer, foundAt, found)].sort()).toEqual([15, 16, 18, 19])
  expect(() => blocks.reserve(Int32Array.of(7 * 64, 64))).toThrow(RangeError)
})
