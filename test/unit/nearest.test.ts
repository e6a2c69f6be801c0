import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import wabt from 'wabt'
import { FloatRows, unitOf } from '../../src/search/memory/float-rows.ts'
import { assembled, compileKernels } from '../../src/search/memory/kernels.ts'
import { trainCentroids } from '../../src/search/memory/lists/centroids.ts'
import { SignCodes } from '../../src/search/memory/lists/sign-codes.ts'
import { Mask } from '../../src/search/memory/mask.ts'
import { nearestOf, queryFrom, type VectorRows } from '../../src/search/memory/nearest.ts'
import { QuantizedRows } from '../../src/search/memory/quantized-rows.ts'
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

const queryOf = (vector: Float32Array) => queryFrom(unitOf(vector))

function put(rows: VectorRows, slot: number, vector: Float32Array): void {
  const unit = unitOf(vector)
  rows.bytes.set(slot, unit.components)
  rows.floats.set(slot, unit)
}

function rowsOf(vectors: readonly Float32Array[]) {
  const dimensions = vectors[0]?.length ?? 0
  const rows: VectorRows = {
    bytes: new QuantizedRows(module, dimensions),
    floats: new FloatRows(dimensions),
    tieOrder: (slot, other) => other - slot,
  }
  for (const [slot, vector] of vectors.entries()) put(rows, slot, vector)
  return { rows, slots: Int32Array.from(vectors.keys()) }
}

/** The nearest and all as near as the last, in order, by comparing all in float32. */
function trueNearest(
  rows: VectorRows,
  vector: Float32Array,
  slots: Iterable<number>,
  count: number,
) {
  const unit = unitOf(vector)
  const all = Array.from(slots, (slot) => ({ slot, distance: rows.floats.distance(unit, slot) }))
  all.sort((a, b) => a.distance - b.distance || rows.tieOrder(a.slot, b.slot))
  const last = all[Math.min(count, all.length) - 1]?.distance ?? -1
  return all.filter(({ distance }) => distance <= last)
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

/** Cosine distance in float64 of unit vectors, of which float32 rounds elements and differences. */
function distanceOf(one: Float32Array, other: Float32Array): number {
  const [lengthOfOne, lengthOfOther] = [Math.hypot(...one), Math.hypot(...other)]
  const a = one.map((component) => component / lengthOfOne)
  const b = other.map((component) => component / lengthOfOther)
  const apart = Math.hypot(...a.map((component, at) => component - (b[at] ?? 0)))
  const [ofA, ofB] = [Math.hypot(...a), Math.hypot(...b)]
  return (apart ** 2 - (ofA - ofB) ** 2) / (2 * ofA * ofB)
}

const tried = sampled('numbers of dimensions', [1, 3, 8, 100, 384, 1_536, 4_097], (dimensions) =>
  [1, 100, 1_536].includes(dimensions),
)

describe.each([...tried])('of %i dimensions', (dimensions) => {
  const vectors = hardVectors(400, dimensions)
  const { rows, slots } = rowsOf(vectors)
  for (const slot of slots) if (slot % 9 === 4) rows.bytes.clear(slot)
  const left = slots.filter((slot) => slot % 9 !== 4)
  const queries = [...hardVectors(12, dimensions), ...vectors.slice(1, 4)]

  it('finds exactly the nearest, and all that are as near as the last', () => {
    for (const vector of queries) {
      for (const wanted of [1, 10, 355, 399, 5_000]) {
        const found = nearestOf(rows, queryOf(vector), slots, wanted)
        expect(found).toEqual(trueNearest(rows, vector, left, wanted))
      }
    }
  })

  it('tells their distances to nine digits', () => {
    for (const vector of queries) {
      for (const { slot, distance } of nearestOf(rows, queryOf(vector), slots, 400) ?? []) {
        const other = vectors[slot] ?? expect.fail()
        const rounded = Math.round(distanceOf(vector, other) * 1e9) / 1e9
        expect(Math.abs(distance - rounded)).toBeLessThan(1.01e-9)
        expect(distance).toBeCloseTo(1 - similarity([...vector], [...other]), 6)
      }
    }
  })
})

it('finds all that are alike, but no more than it compares', () => {
  const alike = Array.from({ length: 20_001 }, () => Float32Array.of(1, 2, 3, 4))
  const { rows, slots } = rowsOf([...alike, Float32Array.of(4, 3, 2, 1)])
  const query = queryOf(Float32Array.of(1, 2, 3, 4))
  expect(nearestOf(rows, query, slots, 1)).toBeUndefined()
  expect(nearestOf(rows, query, slots.subarray(1), 1)).toHaveLength(20_000)
  expect(nearestOf(rows, query, slots, 15_000)).toHaveLength(20_001)
})

/** Of another kind: no direction has much of both it and what it was made of. */
const mirrored = (vector: ArrayLike<number>) =>
  Float32Array.from(Array.from(vector).reverse(), (value, at) => (at % 2 === 0 ? value : -value))

function lacking(have: Iterable<number>, sought: Iterable<number>): number[] {
  const all = new Set(have)
  return [...sought].filter((slot) => !all.has(slot))
}

describe('codes of signs', () => {
  const vectors = structured(4_200, 384).map(({ vector }) => Float32Array.from(vector))
  const stored = vectors.slice(0, 4_000)
  const queries = vectors.slice(4_000, 4_025)
  const random = randomNumbers(6)
  const isotropic = (count: number, dimensions: number) =>
    Array.from({ length: count }, () => new Float32Array(dimensions).map(() => random() - 0.5))

  const slotsIn = (codes: SignCodes, lists: Iterable<number>) => {
    const all: ReadonlySet<number | undefined> = new Set(lists)
    return [...Array(5_000).keys()].filter((slot) => all.has(codes.listOf(slot)))
  }
  type Kept = ReturnType<typeof rowsOf>

  /** Codes of all slots, in about so many lists that are trained with some of them. */
  async function coded({ rows, slots }: Kept, lists: number, known = slots): Promise<SignCodes> {
    const centroids = await trainCentroids(module, rows.bytes, known, lists, async () => {})
    const mean = known.reduce((sum, slot) => sum + centroids.similarityOf(rows.bytes, slot), 0)
    const codes = new SignCodes(module, rows, centroids, mean / known.length)
    for (const slot of slots) codes.set(slot)
    return codes
  }

  /** Checks that all the nearest are chosen, and nothing else. @returns the chosen share, on average */
  function checked(
    rows: VectorRows,
    codes: SignCodes,
    asked: Float32Array[],
    count = 10,
    mask?: Mask,
  ) {
    let share = 0
    for (const vector of asked) {
      for (const part of codes.lists === 1 ? [1] : [1, 3, codes.lists]) {
        const query = queryOf(vector)
        const near = codes.nearestLists(query, Math.ceil(codes.lists / part))
        const inLists = slotsIn(codes, near.lists)
        const left = inLists.filter((slot) => mask === undefined || mask.has(slot))
        const chosen = codes.choose(query, count, near, mask)?.slots
        if (part === 1) share += (chosen?.length ?? left.length) / left.length / asked.length
        if (chosen === undefined) continue
        const nearest = trueNearest(rows, vector, left, count).map(({ slot }) => slot)
        expect(lacking(chosen, nearest)).toEqual([])
        expect(lacking(left, chosen)).toEqual([])
        expect(new Set(chosen).size).toBe(chosen.length)
      }
    }
    return share
  }

  describe.each([1, 30, 250])('in about %i lists', (lists) => {
    const kept = rowsOf(stored)

    it('choose few, and all of the nearest of vectors that are not stored', async () => {
      const codes = await coded(kept, lists)
      for (const count of [1, 10, 100]) {
        expect(checked(kept.rows, codes, queries, count)).toBeLessThan(0.15)
      }
    })

    it('choose of what a mask leaves only, and lose none of it', async () => {
      // In another order.
      const codes = await coded({ ...kept, slots: kept.slots.slice().reverse() }, lists)
      for (const part of [2, 7, 41]) {
        const mask = new Mask()
        mask.fill(
          [...kept.slots].filter((slot) => slot % part === 1),
          1,
        )
        mask.clear(part + 1)
        mask.change(2 * part)
        expect(checked(kept.rows, codes, queries, 10, mask)).toBeLessThan(0.9)
      }
    })

    it('lose none of another kind than the lists were made of', async () => {
      const others = structured(120, 384, 2).map(({ vector }) => mirrored(vector))
      const mixed = rowsOf([...stored, ...others.slice(0, 100)])
      const codes = await coded(mixed, lists, mixed.slots.slice(0, stored.length))
      checked(mixed.rows, codes, others.slice(100))
    })

    it('tell equal vectors, opposite ones and means themselves apart from others', async () => {
      const opposite = stored.slice(0, 300).map((vector) => vector.map((component) => -component))
      const same = Array.from({ length: 300 }, () => Float32Array.from(stored[0] ?? []))
      for (const hard of [[...opposite, ...stored.slice(0, 300)], [...same, ...queries], same]) {
        const all = rowsOf(hard)
        const codes = await coded(all, lists)
        checked(all.rows, codes, [...queries.slice(0, 20), ...hard.slice(0, 3)], 5)
      }
    })

    it('remain those of what is set, cleared and replaced in any order', async () => {
      const all = rowsOf(isotropic(2_000, 64))
      const first = all.slots.slice(0, 900)
      const codes = await coded({ ...all, slots: first }, lists)
      const left = new Set(first)
      for (let change = 0; change < 5_000; change += 1) {
        const slot = Math.floor(2_000 * random())
        if (random() < (change < 3_500 ? 0.4 : 0.8)) {
          all.rows.bytes.clear(slot)
          codes.clear(slot)
          left.delete(slot)
        } else {
          put(all.rows, slot, isotropic(1, 64)[0] ?? expect.fail())
          codes.set(slot)
          left.add(slot)
        }
      }
      expect(codes.size).toBe(left.size)
      const found = all.slots.filter((slot) => codes.listOf(slot) !== undefined)
      expect([...found].sort()).toEqual([...left].sort())
      const asked = [...left].map((slot) => all.rows.floats.of(slot).components)
      expect(checked(all.rows, codes, asked, 1)).toBeLessThan(0.5)
    })
  })

  it.each([
    64, 65, 100, 1_000, 4_097,
  ])('lose none in %i dimensions without any structure', async (dimensions) => {
    const kept = rowsOf(isotropic(600, dimensions))
    for (const lists of [1, 20]) {
      checked(kept.rows, await coded(kept, lists), isotropic(20, dimensions), 10)
    }
  })
})
