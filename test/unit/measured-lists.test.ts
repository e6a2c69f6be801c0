import { beforeAll, describe, expect, it } from 'vitest'
import { createGenerator } from '../../bench/data.ts'
import type { NearestRequest, NearestStored } from '../../src/search/memory/candidates.ts'
import { CollectionVectors } from '../../src/search/memory/collection.ts'
import { nearestTo } from '../support/data/vector-rows.ts'

const dimensions = 64
/** More than the fewest of which a search reads some lists only. */
const count = 61_000
/** Small enough that what a filter keeps is not compared in full. */
const exactBudget = 5_000
const { vectorAt } = createGenerator(dimensions)
const textIds = Array.from({ length: count }, (_, at) => `t${at}`)
/** Not stored. */
const queries = Array.from({ length: 60 }, (_, at) => vectorAt(count + at))
/** Like no stored ones, as texts of another kind are. */
const mirrored = (vector: Float32Array) =>
  vector.toReversed().map((value, at) => (at % 2 === 0 ? value : -value))
const unlike = queries.map(mirrored)
/** Somewhat like stored ones, as questions are like passages. */
const blended = queries.map((vector, at) =>
  vector.map((value, component) => value + 0.7 * (unlike[at]?.[component] ?? 0)),
)
const atOnce = async () => {}

function newCollection(): CollectionVectors {
  const collection = new CollectionVectors(dimensions, exactBudget)
  for (const [at, textId] of textIds.entries()) collection.set(textId, vectorAt(at))
  return collection
}

type Wanted = Partial<NearestRequest>

function search(
  collection: CollectionVectors,
  vector: Float32Array,
  wanted: Wanted,
): NearestStored {
  const found = collection.nearest(nearestTo(vector, { count: 10, ...wanted }), 1)
  return typeof found === 'object' && 'textIds' in found ? found : expect.fail('nothing is found')
}

/** The share of the true nearest that is found, and the share of the searches that compare all. */
function recallOf(collection: CollectionVectors, wanted: Wanted = {}, asked = queries) {
  let [found, sought, exact] = [0, 0, 0]
  for (const vector of asked) {
    const all = search(collection, vector, { ...wanted, exact: true })
    const some = search(collection, vector, wanted)
    const ids = new Set(some.textIds)
    sought += all.textIds.length
    found += all.textIds.filter((textId) => ids.has(textId)).length
    if (some.isExact) exact += 1
  }
  return { recall: found / sought, exact: exact / asked.length }
}

/** Makes a mask. @returns its name */
function keep(collection: CollectionVectors, mask: string, kept: readonly string[]): string {
  collection.masks.begin(mask)
  collection.fillMask(mask, kept, 1)
  return mask
}

const shareOf = (share: number) => textIds.filter((_, at) => (at * 0.618) % 1 < share)

describe('lists', () => {
  let collection: CollectionVectors
  beforeAll(async () => {
    collection = newCollection()
    expect(collection.needsLists()).toBe(true)
    await collection.makeLists(atOnce)
    expect(collection.needsLists()).toBe(false)
  })

  it.each([1, 10, 50, 100])('have the %i nearest', (wanted) => {
    const { recall, exact } = recallOf(collection, { count: wanted })
    expect(recall).toBeGreaterThanOrEqual(0.99)
    expect(exact).toBeLessThan(0.2)
  })

  it('have all of the nearest where nearly all are asked for', () => {
    expect(recallOf(collection, { minRecall: 0.999 }).recall).toBe(1)
  })

  it.each([
    ['unlike all', unlike],
    ['less like', blended],
  ])('have those of queries %s that is stored', (_, asked) => {
    for (const wanted of [10, 100]) {
      const { recall } = recallOf(collection, { count: wanted }, asked)
      expect(recall).toBeGreaterThanOrEqual(0.99)
    }
  })

  it.each([1 / 2, 1 / 10, 1 / 100])(
    'have the nearest of the share %f that a filter keeps',
    (share) => {
      const kept = shareOf(share)
      const mask = keep(collection, `${share}`, kept)
      for (const wanted of [10, 100]) {
        const { recall } = recallOf(collection, { mask, count: wanted })
        expect(recall).toBeGreaterThanOrEqual(0.99)
      }
      const all = new Set(kept)
      for (const vector of queries) {
        const found = search(collection, vector, { mask }).textIds
        expect(found.filter((textId) => !all.has(textId))).toEqual([])
      }
    },
  )

  it.each([1_000, 15_000])('have what a filter keeps that leaves out the %i nearest', (left) => {
    let sum = 0
    for (const vector of queries) {
      const far = new Set(textIds)
      for (const near of search(collection, vector, { count: left, exact: true }).textIds) {
        far.delete(near)
      }
      const mask = keep(collection, `far ${left}`, [...far])
      sum += recallOf(collection, { mask }, [vector]).recall
    }
    expect(sum / queries.length).toBeGreaterThanOrEqual(0.99)
  })

  it('give as many as there are, with distances, nearest first', () => {
    for (const vector of queries) {
      for (const wanted of [10, 100, 300, 1_000]) {
        const { textIds: found, distances } = search(collection, vector, { count: wanted })
        expect(distances).toEqual([...distances].sort((a, b) => a - b))
        expect(new Set(found).size).toBe(distances.length)
        expect(distances).toHaveLength(wanted)
      }
    }
  })

  it.each([1, 1 / 2, 1 / 4, 1 / 10, 1 / 100])(
    'neither repeat nor skip on pages, of the share %f',
    (share) => {
      const mask = share === 1 ? undefined : keep(collection, `pages ${share}`, shareOf(share))
      for (const vector of queries) {
        let shorter: readonly string[] = []
        for (let wanted = 10; wanted <= 300; wanted += wanted < 150 ? 10 : 50) {
          const found = search(collection, vector, { mask, count: wanted }).textIds
          expect(found.slice(0, shorter.length)).toEqual(shorter)
          shorter = found
        }
      }
    },
  )

  it('leave out the stored text that is searched for', () => {
    for (const textId of textIds.slice(0, 60)) {
      const request = { query: { textId }, count: 10, exact: false }
      const others = collection.nearest({ ...request, without: [textId] }, 1)
      const all = collection.nearest({ ...request, count: 11 }, 1)
      const textIds = Object(all)
        .textIds.filter((id: string) => id !== textId)
        .slice(0, 10)
      expect(others).toMatchObject({ textIds })
    }
  })
})

it('have the nearest of new texts beside texts that are there many times', async () => {
  const collection = new CollectionVectors(dimensions, exactBudget)
  for (let at = 0; at < count; at += 1) {
    // Of 480, 450 are nearly equal.
    const vector = vectorAt(at % 16 === 0 ? at : at - (at % 480))
    if (at % 16 !== 0) vector[at % dimensions] = (vector[at % dimensions] ?? 0) + 0.02
    collection.set(`t${at}`, vector)
  }
  await collection.makeLists(atOnce)
  expect(recallOf(collection).recall).toBeGreaterThanOrEqual(0.99)
})

describe('changes', () => {
  let collection: CollectionVectors
  beforeAll(async () => {
    collection = newCollection()
    let pauses = 0
    const missed: string[] = []
    await collection.makeLists(async () => {
      pauses += 1
      if (pauses % 600 !== 0) return
      const at = pauses / 600
      const vector = vectorAt(2 * count + at)
      collection.set(`during ${at}`, vector)
      collection.delete(`t${count - at}`)
      const [first] = search(collection, vector, { count: 1 }).textIds
      if (first !== `during ${at}`) missed.push(`during ${at}`)
    })
    expect(pauses).toBeGreaterThan(6_000)
    expect(missed).toEqual([])
  })

  it('that came while lists were made are in them', () => {
    const first = (at: number) => search(collection, vectorAt(at), { count: 1 }).textIds
    for (let at = 1; at <= 10; at += 1) {
      expect(first(2 * count + at)).toEqual([`during ${at}`])
      expect(first(count - at)).not.toContain(`t${count - at}`)
    }
    expect(recallOf(collection).recall).toBeGreaterThanOrEqual(0.99)
  })

  it('may be of another kind than those that the lists were made of', () => {
    const other = (at: number) => mirrored(vectorAt(5 * count + at))
    for (let at = 0; at < 5_000; at += 1) collection.set(`other ${at}`, other(at))
    const asked = queries.map((_, at) => other(5_000 + at))
    expect(recallOf(collection, {}, asked).recall).toBeGreaterThanOrEqual(0.99)
    expect(recallOf(collection).recall).toBeGreaterThanOrEqual(0.99)
    for (let at = 0; at < 5_000; at += 1) collection.delete(`other ${at}`)
  })

  it('count at once', () => {
    for (const vector of [...queries, ...unlike]) {
      const first = () => search(collection, vector, { count: 1 }).textIds
      collection.set('new', vector)
      expect(first()).toEqual(['new'])
      // Replaced by something far away, and put back under another text_id.
      const opposite = vector.map((component) => -component)
      collection.set('new', opposite)
      expect(first()).not.toContain('new')
      expect(search(collection, opposite, { count: 1 }).textIds).toEqual(['new'])
      collection.set('other', vector)
      expect(first()).toEqual(['other'])
      collection.delete('other')
      expect(first()).not.toContain('other')
      collection.delete('new')
    }
  })

  it('may be many equal ones', () => {
    const [common = expect.fail()] = queries
    const copies = Array.from({ length: 400 }, (_, at) => `copy ${at}`).sort()
    for (const copy of copies) collection.set(copy, common)
    const found = (wanted: number) => search(collection, common, { count: wanted }).textIds
    for (const wanted of [10, 16, 100, 128, 300]) {
      expect(found(wanted)).toEqual(copies.slice(0, wanted))
    }
    for (const copy of copies.slice(0, 300)) collection.delete(copy)
    expect(found(100)).toEqual(copies.slice(300))
    for (const copy of copies.slice(300)) collection.delete(copy)
    expect(found(20).filter((textId) => textId.startsWith('copy'))).toEqual([])
  })

  it('may delete all of a region', () => {
    let sum = 0
    for (const vector of queries) {
      const near = search(collection, vector, { count: 500, exact: true }).textIds
      for (const textId of near) collection.delete(textId)
      sum += recallOf(collection, {}, [vector]).recall
      for (const id of near)
        if (id.startsWith('t')) collection.set(id, vectorAt(Number(id.slice(1))))
    }
    expect(sum / queries.length).toBeGreaterThanOrEqual(0.99)
  })
})
