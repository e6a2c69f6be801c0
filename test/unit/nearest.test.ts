import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import wabt from 'wabt'
import { assembled, compileDotProducts } from '../../src/db/embedded/memory/dot-products.ts'
import { nearestOf } from '../../src/db/embedded/memory/nearest.ts'
import { QuantizedRows, queryOf } from '../../src/db/embedded/memory/quantized-rows.ts'
import { Shortlist } from '../../src/db/embedded/memory/shortlist.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { structured } from '../support/data/indexed.ts'
import { similarity } from '../support/data/vectors.ts'
import { isFullRun, sampled } from '../support/run/full-run.ts'

const source = new URL('../../src/db/embedded/memory/dot-products.wat', import.meta.url)
const module = compileDotProducts()

it('runs what its source says', async () => {
  const { parseWat } = await wabt()
  const { buffer } = parseWat('dot-products.wat', readFileSync(source, 'utf8')).toBinary({})
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

describe('a shortlist', () => {
  const vectors = structured(6_000, 384).map(({ vector }) => Float32Array.from(vector))
  const stored = vectors.slice(0, 5_800)
  const { rows, slots } = rowsOf(stored)

  it('holds nearly all of the true ten of vectors that are not stored', async () => {
    const shortlist = await Shortlist.learn(module, rows, slots, async () => {})
    for (const slot of slots) shortlist.set(slot)
    expect(await shortlist.calibrate(slots, async () => {})).toBe(true)
    let [found, short] = [0, 0]
    for (const vector of vectors.slice(5_800)) {
      const query = queryOf(vector)
      const chosen = shortlist.choose(query, slots, 10) ?? slots
      if (chosen.length < slots.length / 2) short += 1
      const similarities = rows.similarities(query, slots)
      const all = nearestOf(rows, query, slots, 10).slots.toSorted(
        (a, b) => (similarities[b] ?? 0) - (similarities[a] ?? 0),
      )
      found += all.slice(0, 10).filter((slot) => chosen.includes(slot)).length
    }
    expect(found / 2_000).toBeGreaterThan(0.99)
    expect(short).toBeGreaterThan(180)
  })

  it('leaves nothing to chance of another kind than it was learnt from', async () => {
    const others = structured(200, 384, 2).map(({ vector }) => mirrored(vector))
    const { rows, slots } = rowsOf([...stored, ...others.slice(0, 100)])
    const known = slots.slice(0, stored.length)
    const shortlist = await Shortlist.learn(module, rows, known, async () => {})
    for (const slot of known) shortlist.set(slot)
    expect(await shortlist.calibrate(known, async () => {})).toBe(true)
    for (const slot of slots.slice(stored.length)) shortlist.set(slot)
    expect(shortlist.isWorn(slots.length)).toBe(false)
    for (const vector of others.slice(100)) {
      const query = queryOf(vector)
      const chosen = new Set(shortlist.choose(query, slots, 1) ?? slots)
      const similarities = rows.similarities(query, slots)
      const nearest = similarities.indexOf(Math.max(...similarities))
      expect(chosen.has(nearest)).toBe(true)
    }
    // What it was learnt from is gone.
    for (const slot of stored.keys()) shortlist.clear(slot)
    expect(shortlist.isWorn(100)).toBe(true)
  })

  it.runIf(isFullRun)('is as good when vectors are deleted while it is learnt', async () => {
    const { rows, slots } = rowsOf(stored)
    let pauses = 0
    const pause = async () => {
      pauses += 1
      if (pauses % 20 === 0) rows.clear(pauses)
    }
    const shortlist = await Shortlist.learn(module, rows, slots, pause)
    for (const slot of slots) shortlist.set(slot)
    for (const slot of slots) if (Number.isNaN(rows.componentOf(slot, 0))) shortlist.clear(slot)
    expect(await shortlist.calibrate(slots, pause)).toBe(true)
    let found = 0
    for (const vector of vectors.slice(5_800)) {
      const query = queryOf(vector)
      const chosen = shortlist.choose(query, slots, 1) ?? slots
      const [nearest] = nearestOf(rows, query, slots, 1).slots
      if (nearest !== undefined && chosen.includes(nearest)) found += 1
    }
    expect(found).toBeGreaterThan(195)
  })

  it('is given up where no few directions hold what tells vectors apart', async () => {
    const random = randomNumbers(5)
    const uniform = Array.from({ length: 2_000 }, () =>
      Float32Array.from({ length: 1_024 }, () => random() - 0.5),
    )
    const { rows, slots } = rowsOf(uniform)
    const shortlist = await Shortlist.learn(module, rows, slots, async () => {})
    for (const slot of slots) shortlist.set(slot)
    expect(await shortlist.calibrate(slots, async () => {})).toBe(false)
  })
})
