import { beforeAll, describe, expect, it } from 'vitest'
import type { Candidates } from '../../src/search/memory/candidates.ts'
import { CollectionVectors } from '../../src/search/memory/collection.ts'
import { compileKernels } from '../../src/search/memory/kernels.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { structured } from '../support/data/indexed.ts'
import { byBytes, similarity } from '../support/data/vectors.ts'

const dimensions = 64
const count = 4_000
/** Small enough that what a filter keeps is not compared in full, and that a graph is made. */
const exactBudget = 5_000
const documents = structured(count + 600, dimensions)
const stored = documents.slice(0, count)
const others = documents.slice(count).map(({ vector }) => Float32Array.from(vector))
const queries = others.slice(0, 100)
const atOnce = async () => {}

async function collectionOf(texts: typeof documents): Promise<CollectionVectors> {
  const collection = new CollectionVectors(compileKernels(), dimensions, exactBudget)
  for (const { text_id, vector } of texts) collection.set(text_id, Float32Array.from(vector))
  await collection.makeGraph(atOnce)
  return collection
}

interface Wanted {
  readonly count?: number
  readonly mask?: string
  readonly minRecall?: number
}

const search = (
  collection: CollectionVectors,
  vector: Float32Array,
  exact: boolean,
  { count: nearest = 10, mask, minRecall }: Wanted,
) =>
  collection.candidates({
    ...{ query: { vector }, count: nearest, exact, mask, minRecall },
  }) as Candidates

const vectorOf = new Map(documents.map(({ text_id, vector }) => [text_id, vector]))

/** As the database ranks them. */
const inOrder = (vector: Float32Array, textIds: readonly string[]) =>
  textIds
    .map((id) => ({ id, similarity: similarity([...vector], vectorOf.get(id) ?? []) }))
    .sort((a, b) => b.similarity - a.similarity || byBytes(a.id, b.id))
    .map(({ id }) => id)

/** The share of the true nearest that is found, nearly always by the graph. */
function recallOf(collection: CollectionVectors, wanted: Wanted = {}): number {
  let found = 0
  let sought = 0
  let exact = 0
  for (const vector of queries) {
    const approximate = search(collection, vector, false, wanted)
    if (approximate.isExact) exact += 1
    const textIds = new Set(approximate.textIds)
    const { textIds: nearest } = search(collection, vector, true, wanted)
    sought += nearest.length
    found += nearest.filter((textId) => textIds.has(textId)).length
  }
  // The least usual ones are compared with all.
  expect(exact).toBeLessThan(queries.length / 5)
  return found / sought
}

describe('a graph of neighbours', () => {
  let collection: CollectionVectors
  beforeAll(async () => {
    collection = await collectionOf(stored)
  })

  /** Makes a mask. @returns what it keeps */
  function keep(mask: string, share: number): Set<string> {
    collection.beginMask(mask)
    const kept = stored.filter((_, at) => (at * 0.618) % 1 < share).map(({ text_id }) => text_id)
    collection.fillMask(mask, kept)
    return new Set(kept)
  }

  it.each([1, 10, 50, 100, 500])('finds the %i nearest', (nearest) => {
    expect(recallOf(collection, { count: nearest })).toBeGreaterThanOrEqual(0.99)
  })

  it.each([0.9, 0.5, 0.1])('finds the nearest of the share %f that a filter keeps', (share) => {
    const mask = `${share}`
    const textIds = keep(mask, share)
    expect(recallOf(collection, { mask })).toBeGreaterThanOrEqual(0.99)
    for (const vector of queries) {
      const found = search(collection, vector, false, { mask })
      expect(found.textIds.filter((textId) => !textIds.has(textId))).toEqual([])
    }
  })

  it.each([
    1, 0.5, 0.2,
  ])('has the same results on a page however many are asked for, of the share %f', (share) => {
    const mask = share === 1 ? undefined : `pages of ${share}`
    if (mask !== undefined) keep(mask, share)
    const pages = [10, 20, 31, 50, 120, 200, 300]
    for (const vector of queries) {
      const found = pages.map((nearest) => {
        const { textIds } = search(collection, vector, false, {
          count: nearest + 1,
          ...(mask && { mask }),
        })
        return inOrder(vector, textIds).slice(0, nearest)
      })
      for (const [at, page] of found.entries()) {
        expect(page).toHaveLength(pages[at] ?? 0)
        expect(found[at + 1]?.slice(0, page.length) ?? page).toEqual(page)
      }
    }
  })

  it('is not trusted with a filter opposed to the query', () => {
    const [vector = expect.fail()] = queries
    const near = new Set(search(collection, vector, true, { count: count / 2 }).textIds)
    collection.beginMask('far')
    const far = stored.filter(({ text_id }) => !near.has(text_id))
    collection.fillMask(
      'far',
      far.map(({ text_id }) => text_id),
    )
    const found = search(collection, vector, false, { mask: 'far' })
    expect(found).toEqual(search(collection, vector, true, { mask: 'far' }))
  })

  it('is not asked for more recall than it was measured to have', () => {
    const [vector = expect.fail()] = queries
    const found = search(collection, vector, false, { minRecall: 1 })
    expect(found).toEqual(search(collection, vector, true, {}))
  })
})

it('finds changes at once, before and after they are linked', async () => {
  const collection = await collectionOf(stored)
  const [vector = expect.fail(), ...rest] = others
  collection.set('new', vector)
  const first = () => search(collection, vector, false, { count: 1 }).textIds
  expect(first()).toEqual(['new'])
  expect(collection.needsGraph()).toBe(true)
  await collection.makeGraph(atOnce)
  expect(collection.needsGraph()).toBe(false)
  expect(first()).toEqual(['new'])
  // Replaced by something far away, and put back under another text_id.
  collection.set(
    'new',
    vector.map((component) => -component),
  )
  expect(first()).not.toContain('new')
  collection.set('other', vector)
  await collection.makeGraph(atOnce)
  expect(first()).toEqual(['other'])
  collection.delete('other')
  expect(first()).not.toContain('other')
  // In the place of the deleted one.
  collection.set('third', rest[0] ?? vector)
  await collection.makeGraph(atOnce)
  expect(first()).not.toContain('third')
})

it('finds the nearest after the nearest were deleted', async () => {
  const collection = await collectionOf(stored)
  for (const vector of queries.slice(0, 5)) {
    for (const textId of search(collection, vector, true, { count: 200 }).textIds) {
      collection.delete(textId)
    }
  }
  expect(recallOf(collection)).toBeGreaterThanOrEqual(0.99)
  await collection.makeGraph(atOnce)
  expect(recallOf(collection)).toBeGreaterThanOrEqual(0.99)
})

it('finds the nearest after half of the vectors were replaced, and as many were added', async () => {
  const collection = await collectionOf(stored)
  const replaced = structured(count, dimensions, 2)
  for (const [at, { vector }] of replaced.entries()) {
    const textId = at % 2 === 0 ? `t${at}` : (stored[at]?.text_id ?? '')
    collection.set(textId, Float32Array.from(vector))
    if (at % 1_000 === 999) expect(recallOf(collection)).toBeGreaterThanOrEqual(0.98)
  }
  await collection.makeGraph(atOnce)
  expect(recallOf(collection)).toBeGreaterThanOrEqual(0.99)
})

it('answers while it is made', async () => {
  const collection = new CollectionVectors(compileKernels(), dimensions, exactBudget)
  for (const { text_id, vector } of stored) collection.set(text_id, Float32Array.from(vector))
  let pauses = 0
  const missing = new Set<string>()
  await collection.makeGraph(async () => {
    pauses += 1
    if (pauses % 500 !== 0) return
    const vector = others[pauses % others.length] ?? expect.fail()
    const found = search(collection, vector, false, {})
    for (const textId of search(collection, vector, true, {}).textIds) {
      if (!found.textIds.includes(textId)) missing.add(textId)
    }
    // What changes meanwhile is not lost.
    collection.set(`during-${pauses}`, vector)
    collection.delete(stored[pauses % count]?.text_id ?? '')
  })
  expect([...missing].length).toBeLessThan(5)
  while (collection.needsGraph()) await collection.makeGraph(atOnce)
  expect(recallOf(collection)).toBeGreaterThanOrEqual(0.99)
})

it('loses nothing that comes while changes are linked and the graph is made anew', async () => {
  const collection = await collectionOf(stored)
  const replaced = structured(count, dimensions, 3)
  for (const [at, { text_id }] of stored.entries()) {
    if (at % 3 === 0) collection.set(text_id, Float32Array.from(replaced[at]?.vector ?? []))
  }
  const late = replaced.slice(1, 300)
  let pauses = 0
  await collection.makeGraph(async () => {
    const { text_id, vector } = late[pauses] ?? {}
    pauses += 1
    if (vector) collection.set(`late ${text_id}`, Float32Array.from(vector))
  })
  while (collection.needsGraph()) await collection.makeGraph(atOnce)
  for (const { text_id, vector } of late) {
    const { textIds } = search(collection, Float32Array.from(vector), false, { count: 1 })
    expect(textIds).toContain(`late ${text_id}`)
  }
})

it('finds all vectors that are equal, and those near them', async () => {
  const [common = expect.fail(), near = expect.fail()] = others
  const copies = Array.from({ length: 400 }, (_, at) => `copy ${at}`)
  const between = common.map((component, at) => component + (near[at] ?? 0) / 4)
  for (const first of [0, stored.length]) {
    const collection = await collectionOf(stored.slice(0, first))
    for (const copy of copies) collection.set(copy, common)
    await collection.makeGraph(atOnce)
    for (const { text_id, vector } of stored.slice(first)) {
      collection.set(text_id, Float32Array.from(vector))
    }
    collection.set('between', Float32Array.from(between))
    await collection.makeGraph(atOnce)
    const found = () => search(collection, common, false, { count: 120 }).textIds
    expect(found()).toEqual(expect.arrayContaining(copies))
    expect(search(collection, between, false, { count: 1 }).textIds).toEqual(['between'])
    for (const copy of copies.slice(0, 300)) collection.delete(copy)
    expect(found()).toEqual(expect.arrayContaining(copies.slice(300)))
    await collection.makeGraph(atOnce)
    expect(found()).toEqual(expect.arrayContaining(copies.slice(300)))
    expect(
      found().filter((textId) => copies.indexOf(textId) < 300 && textId.startsWith('copy')),
    ).toEqual([])
  }
})

it('is not trusted with a query unlike all that is stored', async () => {
  const collection = await collectionOf(stored)
  const vector = (queries[0] ?? expect.fail()).map((component) => -component)
  const found = search(collection, vector, false, {})
  expect(found).toEqual(search(collection, vector, true, {}))
})

/** Groups of alike vectors, and a few that are like no others. */
function groups(seed: number, order: 'by chance' | 'in turn') {
  const random = randomNumbers(seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const anywhere = () => Array.from({ length: 128 }, normal)
  const centres = Array.from({ length: order === 'in turn' ? 8 : 12 }, anywhere)
  const near = (centre: number[]) => centre.map((component) => component + 0.35 * normal())
  const vectors = Array.from({ length: 6_000 }, (_, at) => {
    const group = order === 'in turn' ? at % 8 : Math.floor(12 * random())
    return random() < 1 / 25 ? anywhere() : near(centres[group] ?? [])
  })
  return { centres, vectors }
}

// As texts in eight languages: an embedding that knows each by itself has little that links them.
it.each([
  ['by chance', 1],
  ['by chance', 5],
  ['in turn', 1],
] as const)('finds one group of alike vectors beside another, stored %s (%i)', async (order, seed) => {
  const { centres, vectors } = groups(seed, order)
  const collection = new CollectionVectors(compileKernels(), 128, exactBudget)
  for (const [at, vector] of vectors.entries()) collection.set(`${at}`, Float32Array.from(vector))
  await collection.makeGraph(atOnce)
  for (const one of centres) {
    for (const other of centres) {
      if (one === other) continue
      const vector = Float32Array.from(one, (component, at) => component + 0.7 * (other[at] ?? 0))
      const found = search(collection, vector, false, { minRecall: 0.9 })
      expect(found.isExact).toBe(false)
      const nearest = search(collection, vector, true, {}).textIds
      const missed = nearest.filter((textId) => !found.textIds.includes(textId))
      expect(missed.length).toBeLessThan(3)
    }
  }
})
