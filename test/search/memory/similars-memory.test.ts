import { expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { call } from '../../support/client.ts'
import { untilCached } from '../../support/data/cached.ts'
import { pathTo } from '../../support/data/embeddings.ts'
import {
  type Query,
  type Result,
  resultsOf,
  searchBy,
  searchFrom,
} from '../../support/data/similars.ts'
import { similarity } from '../../support/data/vectors.ts'
import { embedding, newInstance, newProject, upload } from '../../support/factories.ts'

const dimensions = 24
const steps = 120
const tolerance = 2e-6
const books = ['mark', 'luke', 'john']

interface Stored {
  readonly vector: number[]
  readonly book: string
}

/** What the project holds, by the answers to uploads and deletions. */
type Model = Map<string, Stored>

/** Holds a page against float64 arithmetic over all that is stored. */
function check(found: readonly Result[], model: Model, sought: number[], query: Query, self = '') {
  const { limit, offset, threshold, metadata_value } = query
  const { book: kept } = JSON.parse(`${query['filter'] ?? '{}'}`)
  const all = [...model]
    .filter(([id, { book }]) => id !== self && book !== metadata_value && book === (kept ?? book))
    .map(([, { vector }]) => similarity(sought, vector))
    .filter((value) => value >= Number(threshold) - tolerance)
    .sort((a, b) => b - a)
  const page = all.slice(Number(offset), Number(offset) + Number(limit))
  // One that is on the threshold may or may not count.
  const sure = page.filter((value) => value >= Number(threshold) + tolerance)
  expect(found.length, JSON.stringify(query)).toBeGreaterThanOrEqual(sure.length)
  expect(found.length).toBeLessThanOrEqual(page.length)
  expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
  for (const [index, { id, similarity: given }] of found.entries()) {
    expect(Math.abs(given - similarity(sought, model.get(id)?.vector ?? []))).toBeLessThan(
      tolerance,
    )
    expect(Math.abs(given - (page[index] ?? 0))).toBeLessThan(tolerance)
  }
}

it.each([
  1, 2, 3,
])('finds what is stored at the moment, whatever was written before (%i)', async (seed) => {
  const random = randomNumbers(seed)
  const below = (count: number) => Math.floor(random() * count)
  const pick = <T>(from: readonly T[]) => from[below(from.length)] as T
  const project = await newProject({}, { dimensions })
  const model: Model = new Map()
  const add = async (ids: readonly string[]) => {
    const batch = ids.map((id) => {
      // Now and then one that is there already, or nearly.
      const like = model.size > 0 && below(4) === 0 ? pick([...model.values()]).vector : undefined
      const vector = Array.from({ length: dimensions }, (_, index) =>
        like === undefined ? random() - 0.4 : (like[index] ?? 0) * (below(3) + 1),
      ).map((value) => Math.fround(value))
      return [id, { vector, book: pick(books) }] as const
    })
    await upload(
      project,
      ...batch.map(([id, { vector, book }]) => embedding(id, vector, { metadata: { book } })),
    )
    for (const [id, stored] of batch) model.set(id, stored)
  }
  const remove = async (id: string) => {
    const { status } = await call('DELETE', pathTo(project, id), { key: project.owner.key })
    expect(status).toBe(200)
    model.delete(id)
  }
  await add(Array.from({ length: 40 }, (_, index) => `first-${index}`))
  await untilCached(project)
  for (let step = 0; step < steps; step += 1) {
    const query: Query = {
      limit: 1 + below(20),
      offset: below(3) * below(10),
      threshold: pick([0, 0.3, 0.5, 0.8]),
      exact: pick(['true', 'false']),
      ...pick([
        {},
        { metadata_path: 'book', metadata_value: pick(books) },
        { filter: JSON.stringify({ book: pick(books) }) },
      ]),
    }
    const id = pick([...model.keys()])
    switch (below(5)) {
      case 0:
        await add(Array.from({ length: 1 + below(6) }, (_, index) => `${step}-${index}`))
        break
      case 1:
        await remove(id)
        break
      case 2:
        await remove(id)
        await add([id])
        break
      case 3: {
        const vector = Array.from({ length: dimensions }, () => random() - 0.4)
        check(await resultsOf(searchBy(project, vector, query)), model, vector, query)
        break
      }
      default: {
        const { vector = [] } = model.get(id) ?? {}
        check(await resultsOf(searchFrom(project, id, query)), model, vector, query, id)
      }
    }
  }
  await untilCached(project)
})

it('finds vectors of other dimensions that came when all others had been deleted', async () => {
  const random = randomNumbers(7)
  const vectors = (length: number) =>
    Array.from({ length: 30 }, () => Array.from({ length }, () => Math.fround(random() - 0.4)))
  const project = await newProject({}, { dimensions: 48 })
  const { key } = project.owner
  for (const [length, instance] of [
    [48, 'model'],
    [24, 'smaller'],
    [64, 'larger'],
  ] as const) {
    if (instance !== 'model') {
      await newInstance(project.owner, { dimensions: length }, instance)
      const body = { instance_owner: project.owner.handle, instance_handle: instance }
      expect((await call('PUT', project.path(), { key, body })).status).toBe(200)
    }
    const given = vectors(length)
    const items = given.map((vector, index) => ({
      ...embedding(`t${index}`, vector),
      instance_handle: instance,
    }))
    await upload(project, ...items)
    await untilCached(project, length)
    const model: Model = new Map(
      given.map((vector, index) => [`t${index}`, { vector, book: 'mark' }]),
    )
    const query = { limit: 10, offset: 0, threshold: 0 }
    for (const [index, vector] of given.slice(0, 5).entries()) {
      check(await resultsOf(searchBy(project, vector, query)), model, vector, query)
      const found = await resultsOf(searchFrom(project, `t${index}`, query))
      check(found, model, vector, query, `t${index}`)
    }
    for (const id of model.keys()) {
      expect((await call('DELETE', pathTo(project, id), { key })).status).toBe(200)
    }
  }
})
