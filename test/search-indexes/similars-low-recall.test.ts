import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { modelOf } from '../shared/model.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { adminKey } from '../support/app.ts'
import { createClient } from '../support/client.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

/** Such vectors are indexed by the signs of their elements, which are all the same here. */
const dimensions = 4_200
const random = randomNumbers(4)
const vectors = Array.from({ length: 300 }, () =>
  Array.from({ length: dimensions }, () => Math.round(random() * 1e4) / 1e4),
)

type Service = Awaited<ReturnType<typeof startOwnService>>

/** As pg_restore leaves the indexes without comments. */
async function forgetRecall({ database }: Service): Promise<void> {
  const { db } = database.maintenance
  const indexes = await db
    .select({ name: sql<string>`relname` })
    .from(sql`pg_class`)
    .where(sql`relkind = 'i' and relname like 'embeddings\\_hnsw\\_%'`)
  expect(indexes).toHaveLength(1)
  for (const { name } of indexes) {
    await db.execute(sql`comment on index ${sql.identifier(name)} is null`)
  }
}

/** The answers to searches of a project with an index. */
async function answersWith(
  maxScan: number,
  queries: readonly string[],
  before: (service: Service) => Promise<void> = async () => {},
) {
  const service = await startOwnService({ maxScan })
  const client = createClient(service)
  const request = (method: string, path: string, body?: unknown) =>
    client(method, path, { key: adminKey, body })
  await request('PUT', '/v1/users/ann', {})
  const instance = modelOf(dimensions)
  await request('PUT', '/v1/llm-services/ann/model', instance)
  const named = { instance_owner: 'ann', instance_handle: 'model' }
  await request('PUT', '/v1/projects/ann/texts', named)
  const items = vectors.map((vector, at) => ({ text_id: `t${at}`, vector }))
  for (let start = 0; start < items.length; start += 100) {
    const embeddings = items.slice(start, start + 100)
    const batch = { instance_handle: 'model', vector_dim: dimensions, embeddings }
    expect((await request('POST', '/v1/embeddings/ann/texts', batch)).status).toBe(201)
  }
  for (let look = 0; look < 2; look += 1) await service.searchIndexes.reconcile()
  await before(service)
  const answers = []
  for (const query of queries) {
    const path = `/v1/similars/ann/texts/t7?threshold=0&${query}`
    const { status, headers } = await request('GET', path)
    const [mode, note] = [headers.get('x-search-mode'), headers.get('x-search-note')]
    answers.push({ status, mode, note })
  }
  await service.close()
  return answers
}

describe.skipIf(postgresOfRun() === undefined)(
  'a search index that was measured to find little',
  () => {
    it('is not used where the project can be scanned', async () => {
      const exact = { status: 200, mode: 'exact', note: null }
      expect(await answersWith(1e9, ['', 'min_recall=0.95'])).toEqual([exact, exact])
    })

    it('is not used before it is measured either', async () => {
      const exact = { status: 200, mode: 'exact', note: null }
      expect(await answersWith(1e9, ['', 'limit=50'], forgetRecall)).toEqual([exact, exact])
    })

    it('is told of where it cannot', async () => {
      const note =
        /^The search index finds \d+\.\d % of the true results, as measured; exact=true finds all$/
      expect(await answersWith(100_000, ['', 'exact=true'])).toEqual([
        { status: 200, mode: 'approximate', note: expect.stringMatching(note) },
        { status: 200, mode: 'exact', note: null },
      ])
    })
  },
)
