import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { found } from '../../support/data/similars.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'
import { ownEmbedded } from '../../support/servers/own-database.ts'
import { postgresOfRun } from '../../support/servers/postgres-place.ts'
import { type ServiceOfAnn, startServiceOfAnn } from '../../support/servers/service-of-ann.ts'

/** Makes metadata too large for a path predicate with more than one value. */
const padding = { padding: Array.from({ length: 12_000 }, (_, index) => `${index}`) }

const documents: Readonly<Record<string, object>> = {
  a: { n: 1, s: 'Mark', tags: ['sermon', 'parable', 7], flag: true },
  b: { n: 2.5, s: '1', tags: 'sermon', ref: [{ book: 'John', at: 3 }, { book: 'Luke' }] },
  c: { n: [1, 2, 30], s: ['Lukas', 'é', '😀'], tags: [], ref: { book: 'Luke', at: [1, 9] } },
  d: { n: null, s: '', nested: [[1, 'deeper'], 'flat'], $odd: { '"': 5 } },
  e: { n: { n: 1 }, s: [null, false], ref: [], x: [{ a: [1] }, { a: 2 }, [{ a: [3] }]] },
  f: {},
}

const many = (value: (index: number) => unknown) => Array.from({ length: 60 }, (_, i) => value(i))
const filters: object[] = [
  { n: 1 },
  { n: { $in: many((index) => index) } },
  { n: { $in: [...many((index) => index), ...many(String), null] } },
  { n: { $nin: many((index) => index + 20) } },
  { s: { $in: many((index) => `${index}`) } },
  { s: { $in: ['Mark', '😀', '\uffff', 'b', 'c', 'Luka', ''] } },
  { s: { $in: [null, false, 'x', 'y', 'z', 'u', 'v'] } },
  { s: { $prefix: 'Lu' } },
  { s: { $prefix: '' } },
  { $or: [{ s: { $prefix: 'Ma' } }, { s: { $prefix: 'é' } }] },
  { n: { $gt: 1 } },
  { n: { $gte: 1, $lt: 2 } },
  { n: { $lte: 0.5 } },
  { s: { $gt: 'é' } },
  { s: { $gte: 'Mark', $lt: 'N' } },
  { s: { $lte: '1' } },
  { n: { $not: { $gt: 1 } } },
  { n: { $exists: true } },
  { 'ref.at': { $exists: false } },
  { 'ref.book': { $in: many((index) => (index === 3 ? 'Luke' : index)) } },
  { 'ref.at': { $gt: 3 } },
  { nested: { $in: [1, 'flat', 2, 3, 4, 5] } },
  { nested: { $contains: 1 } },
  { tags: { $contains: 'sermon' } },
  { 'x.a': { $contains: 1 } },
  { 'x.a': { $contains: 2 } },
  { 'x.a': { $contains: 3 } },
  { 'x.a': { $in: [2, 3] } },
  { tags: { $in: ['sermon'] }, n: { $ne: 1 } },
  { $or: [{ n: null }, { $and: [{ tags: 7 }, { flag: true }] }] },
  { $not: { $or: [{ n: { $in: many((index) => index) } }, { s: '' }] } },
  { '\\$odd."': 5 },
]

const projectOf = async (extra: object): Promise<Project> => {
  const project = await newProject({}, { dimensions: 2 })
  const items = Object.entries(documents).map(([id, metadata]) =>
    embedding(id, [1, 1], { metadata: { ...metadata, ...extra } }),
  )
  await upload(project, ...items)
  return project
}

async function kept(project: Project, filter: object): Promise<string> {
  const results = await found(project, { vector: [1, 1], filter, limit: 200 })
  return results.map(({ id }) => id).join('')
}

describe('a filter of large metadata', () => {
  it('keeps what it keeps of small ones', async () => {
    const [small, large] = [await projectOf({}), await projectOf(padding)]
    for (const filter of filters) {
      // One that holds for none leaves a filter of many values as it is.
      const filler = { padding: { $in: many((index) => `no ${index}`) } }
      const alone = await kept(small, filter)
      expect([filter, await kept(large, filter)]).toEqual([filter, alone])
      const both = { $or: [filter, filler] }
      expect([both, await kept(large, both)]).toEqual([both, alone])
    }
  })

  it('takes little memory, however many values there are', async () => {
    const project = await newProject({}, { dimensions: 2 })
    const long = Array.from({ length: 85_000 }, () => 1)
    await upload(project, embedding('a', [1, 1], { metadata: { long } }))
    const before = process.memoryUsage().rss
    const values = Array.from({ length: 200 }, (_, index) => 1_000 + index)
    expect(await kept(project, { long: { $in: values } })).toBe('')
    expect(await kept(project, { long: { $in: [...values.slice(1), 1] } })).toBe('a')
    expect(await kept(project, { long: { $nin: values } })).toBe('a')
    const bounds = values.slice(0, 60).map((value) => ({ long: { $not: { $gt: value } } }))
    expect(await kept(project, { $and: bounds })).toBe('a')
    // Of the database too, where it is embedded. It was 1.3 GB for each.
    expect(process.memoryUsage().rss - before).toBeLessThan(600 * 2 ** 20)
  })
})

describe.skipIf(postgresOfRun() !== undefined)('a filter on the embedded database', () => {
  let service: ServiceOfAnn

  beforeAll(async () => {
    service = await startServiceOfAnn({}, 2, ownEmbedded({ filterMs: 0 }))
  })
  afterAll(() => service.close())

  it('that takes too long ends by itself, and the next statement is served', async () => {
    const { send } = service
    await service.addProject('texts')
    await service.upload('texts', [embedding('a', [1, 1])])
    const filter = { a: 1 }
    const refused = {
      status: 503,
      body: { detail: expect.stringContaining('The filter takes too long') },
    }
    const query = `filter=${encodeURIComponent(JSON.stringify(filter))}`
    expect(await send('GET', `/v1/projects/ann/texts/count?${query}`)).toMatchObject(refused)
    const remove = await send('POST', '/v1/embeddings/ann/texts/delete', { filter })
    expect(remove).toMatchObject(refused)
    const search = await send('POST', '/v1/similars/ann/texts', { vector: [1, 1] })
    expect(search.body.results).toEqual([{ id: 'a', similarity: 1 }])
  })
})
