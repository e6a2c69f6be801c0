import { describe, expect, it } from 'vitest'
import { trainCentroids } from '../../src/search/memory/lists/centroids.ts'
import { SignCodes } from '../../src/search/memory/lists/sign-codes.ts'
import { Mask } from '../../src/search/memory/mask.ts'
import type { VectorRows } from '../../src/search/memory/nearest.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { structured } from '../support/data/indexed.ts'
import { put, queryOf, rowsOf, trueNearest } from '../support/data/vector-rows.ts'

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

  const slotsIn = (codes: SignCodes) =>
    [...Array(5_000).keys()].filter((slot) => codes.listOf(slot) !== undefined)
  type Kept = ReturnType<typeof rowsOf>

  /** Codes of all slots, in about so many lists that are trained with some of them. */
  async function coded({ rows, slots }: Kept, lists: number, known = slots): Promise<SignCodes> {
    const centroids = await trainCentroids(rows.bytes, known, lists, async () => {})
    const similarityOf = (slot: number) => centroids.nearest(rows.bytes, slot).similarity
    const mean = known.reduce((sum, slot) => sum + similarityOf(slot), 0)
    const codes = new SignCodes(rows, centroids, mean / known.length)
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
      const left = slotsIn(codes).filter((slot) => mask === undefined || mask.has(slot))
      const chosen = codes.choose(queryOf(vector), count, { mask })?.slots
      share += (chosen?.length ?? left.length) / left.length / asked.length
      if (chosen === undefined) continue
      const nearest = trueNearest(rows, vector, left, count).map(({ slot }) => slot)
      expect(lacking(chosen, nearest)).toEqual([])
      expect(lacking(left, chosen)).toEqual([])
      expect(new Set(chosen).size).toBe(chosen.length)
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

  it.each([64, 65, 100, 1_000, 4_097])(
    'lose none in %i dimensions without any structure',
    async (dimensions) => {
      const kept = rowsOf(isotropic(600, dimensions))
      for (const lists of [1, 20]) {
        checked(kept.rows, await coded(kept, lists), isotropic(20, dimensions), 10)
      }
    },
  )
})
