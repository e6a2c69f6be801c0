import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import wabt from 'wabt'
import { SignCodes } from '../../src/search/memory/codes/sign-codes.ts'
import { assembled, compileKernels } from '../../src/search/memory/kernels.ts'
import { Mask } from '../../src/search/memory/mask.ts'
import { nearestOf } from '../../src/search/memory/nearest.ts'
import { QuantizedRows, queryOf } from '../../src/search/memory/quantized-rows.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { structured } from '../support/data/indexed.ts'
import { similarity } from '../support/data/vectors.ts'
import { sampled } from '../support/run/full-run.ts'

const source = new URL('../../src/search/memory/kernels.wat', import.meta.url)
const module = compileKernels()

it('runs what its source says', async () => {
  const { parseWat } = await wabt()
  const { buffer } = parseWat('kernels.wat', readFileSync(source, 'utf8')).toBinary({})
  expect(assembled).toBe(Buffer.from(buffer).toString('base64'))
})

function rowsOf(vectors: readonly Float32Array[]) {
  const rows = new QuantizedRows(module, vectors[0]?.length ?? 0)
  for (const [slot, vector] of vectors.entries()) rows.set(slot, vector)
  return { rows, slots: Int32Array.from(vectors.keys()) }
}

/** All kinds of vectors: near ones, equal ones, long and short ones, and those with few components. */
function hardVectors(count: number, dimensions: number): Float32Array[] {
  const random = randomNumbers(count * 7 + dimensions)
  const vectors: Float32Array[] = []
  for (let index = 0; index < count; index += 1) {
    const like = vectors[Math.floor(random() * index)]
    const kind = like === undefined ? 3 : Math.floor(random() * 6)
    const scale = 10 ** Math.floor(random() * 30 - 15)
    vectors.push(
      Float32Array.from({ length: dimensions }, (_, at) => {
        const own = random() - 0.5
        if (kind === 0) return like?.[at] ?? 0
        if (kind === 1) return (like?.[at] ?? 0) * (1 + own * 1e-4)
        if (kind === 2) return Math.fround((like?.[at] ?? 0) * 3)
        return (kind === 4 && at !== index % dimensions ? own * 1e-3 : own || 0.1) * scale
      }),
    )
  }
  return vectors
}

const tried = sampled('numbers of dimensions', [1, 3, 8, 100, 384, 1_536, 4_097], (dimensions) =>
  [1, 100, 1_536].includes(dimensions),
)

describe.each([...tried])('of %i dimensions', (dimensions) => {
  it('proposes all that may be among the nearest, and says down to where', () => {
    const count = 400
    const vectors = hardVectors(count, dimensions)
    const { rows, slots } = rowsOf(vectors)
    const cleared = slots.filter((slot) => slot % 9 === 4)
    for (const slot of cleared) rows.clear(slot)
    const queries = [
      ...hardVectors(12, dimensions).map((vector) => ({ vector, query: queryOf(vector) })),
      ...[1, 2, 3, 41].map((slot) => ({
        vector: vectors[slot] ?? new Float32Array(),
        query: rows.queryFrom(slot),
      })),
    ]
    for (const { vector, query } of queries) {
      const truth = [...slots]
        .filter((slot) => slot % 9 !== 4)
        .map((slot) => ({ slot, value: similarity([...vector], [...(vectors[slot] ?? [])]) }))
        .sort((a, b) => b.value - a.value)
      for (const wanted of [1, 10, 399, 5_000]) {
        const { slots: found, completeDownTo } = nearestOf(rows, query, slots, wanted)
        const proposed = new Set(found)
        expect(found.some((slot) => slot % 9 === 4)).toBe(false)
        for (const { slot, value } of truth) {
          if (value >= completeDownTo) expect(proposed.has(slot), `${slot}: ${value}`).toBe(true)
        }
        const last = truth[Math.min(wanted, truth.length) - 1]?.value ?? 0
        expect(completeDownTo).toBeLessThanOrEqual(last)
      }
    }
  })
})

/** Of another kind: no direction has much of both it and what it was made of. */
const mirrored = (vector: ArrayLike<number>) =>
  Float32Array.from(Array.from(vector).reverse(), (value, at) => (at % 2 === 0 ? value : -value))

describe('codes of signs', () => {
  const vectors = structured(6_000, 384).map(({ vector }) => Float32Array.from(vector))
  const stored = vectors.slice(0, 5_800)
  const queries = vectors.slice(5_800)
  const random = randomNumbers(6)
  const isotropic = (count: number, dimensions: number) =>
    Array.from({ length: count }, () =>
      Float32Array.from({ length: dimensions }, () => random() - 0.5),
    )

  /** How many of the nearest are chosen, and how many there were to be; the chosen share of all, on average. */
  function chosenOf(
    { rows, slots }: ReturnType<typeof rowsOf>,
    codes: SignCodes,
    asked: readonly Float32Array[],
    count: number,
    mask?: Mask,
  ) {
    const sum = { found: 0, wanted: 0, share: 0 }
    for (const vector of asked) {
      const query = queryOf(vector)
      const chosen = new Set(codes.choose(query, count, mask) ?? slots)
      const similarities = rows.similarities(query, slots)
      const nearest = [...slots]
        .map((slot, at) => ({ slot, value: similarities[at] ?? 0 }))
        .filter(({ value }) => !Number.isNaN(value))
        .sort((one, other) => other.value - one.value)
        .slice(0, count)
      sum.wanted += nearest.length
      sum.found += nearest.filter(({ slot }) => chosen.has(slot)).length
      sum.share += chosen.size / slots.length / asked.length
    }
    return sum
  }

  function coded(kept: ReturnType<typeof rowsOf>, known = kept.slots) {
    const codes = new SignCodes(module, kept.rows, known)
    for (const slot of kept.slots) codes.set(slot)
    return codes
  }

  it('choose few, and all of the nearest of vectors that are not stored', () => {
    const kept = rowsOf(stored)
    const codes = coded(kept)
    for (const count of [1, 10, 100]) {
      const { found, wanted, share } = chosenOf(kept, codes, queries, count)
      expect(found).toBe(wanted)
      expect(share).toBeLessThan(0.15)
    }
  })

  it('choose of what a mask leaves only, and lose none of it', () => {
    const kept = rowsOf(stored)
    const codes = coded(kept)
    for (const part of [2, 7, 41]) {
      const mask = new Mask()
      mask.fill([...kept.slots].filter((slot) => slot % part === 1))
      mask.clear(part + 1)
      mask.change(2 * part)
      const slots = mask.slots()
      expect(slots.length).toBe(mask.size)
      const { found, wanted } = chosenOf({ rows: kept.rows, slots }, codes, queries, 10, mask)
      expect(found).toBe(wanted)
      for (const vector of queries) {
        const chosen = codes.choose(queryOf(vector), 10, mask) ?? slots
        expect([...chosen].filter((slot) => !slots.includes(slot))).toEqual([])
      }
    }
  })

  it('take rows in any order', () => {
    const kept = rowsOf(stored)
    const codes = new SignCodes(module, kept.rows, kept.slots)
    for (const slot of [...kept.slots].reverse()) codes.set(slot)
    const { found, wanted } = chosenOf(kept, codes, queries, 10)
    expect(found).toBe(wanted)
  })

  it.each([
    64, 65, 100, 1_000, 4_097,
  ])('lose none in %i dimensions without any structure', (dimensions) => {
    const [kept, asked] = [rowsOf(isotropic(600, dimensions)), isotropic(20, dimensions)]
    const { found, wanted } = chosenOf(kept, coded(kept), asked, 10)
    expect(found).toBe(wanted)
  })

  it('lose none of another kind than the mean was taken of', () => {
    const others = structured(200, 384, 2).map(({ vector }) => mirrored(vector))
    const kept = rowsOf([...stored, ...others.slice(0, 100)])
    const codes = coded(kept, kept.slots.slice(0, stored.length))
    const all = chosenOf(kept, codes, others.slice(100), 10)
    expect(all.found).toBe(all.wanted)
    for (const slot of stored.keys()) {
      kept.rows.clear(slot)
      codes.clear(slot)
    }
    const left = chosenOf(kept, codes, [...others.slice(100), ...queries], 10)
    expect(left.found).toBe(left.wanted)
  })

  it('tell equal vectors, opposite ones and the mean itself apart from others', () => {
    const opposite = stored.slice(0, 300).map((vector) => vector.map((component) => -component))
    const same = Array.from({ length: 300 }, () => Float32Array.from(stored[0] ?? []))
    for (const hard of [[...opposite, ...stored.slice(0, 300)], [...same, ...queries], same]) {
      const kept = rowsOf(hard)
      const { found, wanted } = chosenOf(kept, coded(kept), queries.slice(0, 20), 5)
      expect(found).toBe(wanted)
    }
  })
})
