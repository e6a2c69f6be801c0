import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { embedding } from '../../support/factories.ts'
import { startServiceOfAnn } from '../../support/servers/service-of-ann.ts'

// A database of its own: the cleaner would clean up after all other tests, too.
const service = await startServiceOfAnn()
afterAll(service.close)

const asAdmin = (method: string, path: string, body?: object) => service.send(method, path, body)

async function newProject(handle: string) {
  await service.addProject(handle)
  return `/v1/embeddings/ann/${handle}`
}

const batch = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => embedding(`${prefix}-${index}`, [1, index, 0]))
const upload = (path: string, embeddings: object[]) => asAdmin('POST', path, { embeddings })
const totalOf = async (path: string) => (await asAdmin('GET', path)).body.total_count

/** Rows of the tables, whatever the service says of them. */
async function rowsIn(table: 'collections' | 'embeddings'): Promise<number> {
  const [row] = await service.database.short.db
    .select({ rows: sql`count(*)`.mapWith(Number) })
    .from(sql.raw(table))
  return row?.rows ?? -1
}

const sanity = async () => (await asAdmin('GET', '/v1/admin/sanity-check')).body

it('the number of embeddings is exact whatever happens at the same time', async () => {
  const path = await newProject('busy')
  let stored = 0
  for (let round = 0; round < 4; round += 1) {
    await upload(path, batch('old', 20))
    const added = Array.from({ length: 4 }, (_, index) => upload(path, batch(`n${index}`, 7)))
    const twice = batch('old', 20).flatMap(({ text_id }) => [text_id, text_id])
    const deleted = twice.map((textId) => asAdmin('DELETE', `${path}/${textId}`))
    const chosen = [
      { text_ids: batch('old', 15).map(({ text_id }) => text_id) },
      {
        text_ids: batch('old', 20)
          .map(({ text_id }) => text_id)
          .toReversed(),
      },
      { filter: { text_id: { $prefix: 'n1' } } },
    ].map((body) => asAdmin('POST', `${path}/delete`, body))
    const replaced = [batch('old', 20), batch('old', 20).toReversed()].map((embeddings) =>
      asAdmin('POST', `${path}?on_conflict=replace`, { embeddings }),
    )
    const emptied = asAdmin('DELETE', path)
    for (const { status } of await Promise.all(added)) expect(status).toBe(201)
    const gone = (await Promise.all(deleted)).filter(({ status }) => status === 200).length
    const cleared = [...(await Promise.all(chosen)), await emptied]
    const again = await Promise.all(replaced)
    stored += 20 + 28 - gone
    for (const { body } of cleared) stored -= body.deleted_count
    for (const { body } of again) stored += body.uploaded.length
    expect(await totalOf(path)).toBe(stored)
    const { body } = await asAdmin('GET', `${path}?filter=%7B%7D`)
    expect(body.total_count).toBe(stored)
    stored -= (await asAdmin('DELETE', path)).body.deleted_count
    expect(stored).toBe(0)
  }
  await upload(path, batch('last', 3))
  expect((await sanity()).issues).toEqual([])
})

describe('what deleted projects leave behind', () => {
  it('is cleaned up, all of it and nothing else', async () => {
    await service.cleaner.clean()
    const before = { collections: await rowsIn('collections'), rows: await rowsIn('embeddings') }
    const kept = await newProject('kept')
    await upload(kept, batch('a', 1_200))
    await upload(kept, batch('b', 10))
    await asAdmin('DELETE', kept)
    await upload(kept, batch('c', 4))
    const deleted = await newProject('deleted')
    await upload(deleted, batch('a', 30))
    await asAdmin('DELETE', '/v1/projects/ann/deleted')
    await newProject('empty')
    await asAdmin('DELETE', '/v1/projects/ann/empty')
    expect((await sanity()).issues).toEqual([])
    await Promise.all([service.cleaner.clean(), service.cleaner.clean()])
    await service.cleaner.clean()
    expect(await rowsIn('embeddings')).toBe(before.rows + 4)
    expect(await rowsIn('collections')).toBe(before.collections + 1)
    expect(await totalOf(kept)).toBe(4)
    const { body } = await asAdmin('GET', kept)
    expect(body.embeddings).toHaveLength(4)
    expect((await sanity()).status).toBe('PASSED')
  })

  it('is what a removed user had', async () => {
    const path = await newProject('last')
    await upload(path, batch('a', 10))
    expect((await asAdmin('DELETE', '/v1/users/ann')).status).toBe(200)
    await service.cleaner.clean()
    expect(await rowsIn('embeddings')).toBe(0)
    expect(await rowsIn('collections')).toBe(0)
  })
})
