import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { type Document, structured } from '../../support/data/indexed.ts'
import { rankedBy } from '../../support/data/vectors.ts'
import { type Ask, askerOf, makeProject, store } from '../../support/servers/own-projects.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

const dimensions = 96
const pageSize = 50

let service: Awaited<ReturnType<typeof startOwnService>>
let request: Ask

/** A project with an index, of which the nearest were deleted and not vacuumed; the rest, nearest first. */
async function bereft(
  project: string,
  documents: readonly Document[],
  sought: readonly number[],
  lost = 0.4 * documents.length,
) {
  await makeProject(request, `ann/${project}`, dimensions)
  const halved = documents.map((each, at) => ({ ...each, metadata: { even: at % 2 === 0 } }))
  await store(request, `ann/${project}`, halved)
  for (let look = 0; look < 2; look += 1) await service.searchIndexes.reconcile()
  const ranking = rankedBy(sought, documents)
  const gone = ranking.splice(0, lost).map(({ id }) => id)
  for (let start = 0; start < gone.length; start += 1_000) {
    const body = { text_ids: gone.slice(start, start + 1_000) }
    const deleted = await request('POST', `/v1/embeddings/ann/${project}/delete`, body)
    expect(deleted.status).toBe(200)
  }
  return ranking
}

describe('after the nearest of a project were deleted', () => {
  beforeAll(async () => {
    service = await startOwnService()
    request = askerOf(service)
    await service.database.maintenance.db.execute(
      sql`alter table embeddings set (autovacuum_enabled = false)`,
    )
  })
  afterAll(() => service.close())

  it.each([3_000, 6_000])('a page by the index of %i has all that it should', async (count) => {
    const documents = structured(count, dimensions, 31)
    const sought = documents[0]?.vector ?? []
    const left = await bereft(`of-${count}`, documents, sought)
    // The page ends in the middle of what is above the threshold, at its end, and in what is below.
    for (const above of [2 * pageSize, pageSize, pageSize - 5, 5]) {
      const threshold = Math.max(0, left[above - 1]?.similarity ?? 0)
      const body = { vector: sought, threshold, limit: pageSize }
      const search = (exact: boolean) =>
        request('POST', `/v1/similars/ann/of-${count}`, { ...body, exact })
      const answer = await search(false)
      expect(answer.headers.get('server-timing')).toContain('index')
      expect(answer.body.results).toHaveLength(Math.min(above, pageSize))
      expect(answer.body.results).toEqual((await search(true)).body.results)
    }
  })

  it.each([800, 950, 1_000])('nor is anything missed behind %i that were deleted', async (lost) => {
    const random = randomNumbers(lost)
    const signed = () => 2 * random() - 1
    const centres = Array.from({ length: 12 }, () => Array.from({ length: dimensions }, signed))
    const documents = Array.from({ length: 4_000 }, (_, at) => ({
      text_id: `t${at}`,
      vector: (centres[at % 12] ?? []).map((value) => value + 0.6 * signed()),
    }))
    const sought = documents[0]?.vector ?? []
    const project = `behind-${lost}`
    const left = await bereft(project, documents, sought, lost)
    for (const above of [3, 6, 12, 24]) {
      const threshold = Math.max(0, left[above]?.similarity ?? 0)
      for (const filter of [undefined, { even: { $ne: false } }]) {
        const search = (exact: boolean) => {
          const body = { vector: sought, threshold, filter, exact }
          return request('POST', `/v1/similars/ann/${project}`, body)
        }
        const answer = await search(false)
        expect(answer.headers.get('server-timing')).toContain('index')
        expect(answer.body.results).toEqual((await search(true)).body.results)
      }
    }
  })
})
