import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { adminKey, indexLimits } from '../support/app.ts'
import { createClient } from '../support/client.ts'
import { structured } from '../support/data/indexed.ts'
import { ownEmbedded } from '../support/servers/own-database.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const dimensions = 192
const documents = structured(6_000, dimensions, 12)
const sought = documents[17]?.vector ?? []
const similarity = (vector: readonly number[]) =>
  vector.reduce((sum, component, at) => sum + component * (sought[at] ?? 0), 0) /
  Math.hypot(...vector)
/** The most similar first. */
const ranked = [...documents].sort((a, b) => similarity(b.vector) - similarity(a.vector))
/** In which share of the ranking, counted from its beginning, a document is. */
const shares = [0.02, 0.1, 0.5, 0.99]
const metadataOf = new Map(
  ranked.map(({ text_id }, at) => [
    text_id,
    Object.fromEntries(shares.map((share) => [`s${share * 100}`, at < share * ranked.length])),
  ]),
)

let close = async () => {}
let request: ReturnType<typeof createClient>

const search = (query: string) =>
  request('POST', `/v1/similars/ann/texts?threshold=0&${query}`, {
    key: adminKey,
    body: { vector: sought },
  })

describe.skipIf(postgresOfRun() !== undefined)(
  'a filter where not all vectors are compared',
  () => {
    beforeAll(async () => {
      const memory = { fewestComponents: 1, exactBudget: 100_000 }
      // Indexes of the database would answer in place of what is in memory.
      const settings = { indexLimits: { ...indexLimits, exactBudget: Number.POSITIVE_INFINITY } }
      const service = await startOwnService(settings, true, ownEmbedded({ memory }))
      close = service.close
      request = createClient(service)
      const put = (path: string, body: object) => request('PUT', path, { key: adminKey, body })
      await put('/v1/users/ann', {})
      const endpoint = 'https://provider-a.example/v1/embeddings'
      const model = { endpoint, api_standard: 'provider-a', model: 'small', dimensions }
      await put('/v1/llm-services/ann/model', model)
      await put('/v1/projects/ann/texts', { instance_owner: 'ann', instance_handle: 'model' })
      for (let start = 0; start < documents.length; start += 1_000) {
        const embeddings = documents.slice(start, start + 1_000).map(({ text_id, vector }) => ({
          ...{ text_id, vector, vector_dim: dimensions, instance_handle: 'model' },
          metadata: metadataOf.get(text_id),
        }))
        const answer = await request('POST', '/v1/embeddings/ann/texts', {
          key: adminKey,
          body: { embeddings },
        })
        expect(answer.status).toBe(201)
      }
      const isApproximate = async () =>
        (await search('limit=10')).headers.get('x-search-mode') === 'approximate'
      await vi.waitUntil(isApproximate, { timeout: 30_000, interval: 100 })
    }, 60_000)
    afterAll(() => close())

    it.each(
      shares,
    )('that leaves out the nearest %d of a project finds the next ones', async (share) => {
      const filter = `metadata_path=s${share * 100}&metadata_value=true`
      for (const page of ['limit=10', 'limit=50', 'limit=20&offset=30']) {
        const answer = await search(`${page}&${filter}`)
        const exact = await search(`${page}&${filter}&exact=true`)
        expect(exact.headers.get('x-search-mode')).toBe('exact')
        const wanted = exact.body.results.map(({ id }: { id: string }) => id)
        const found = answer.body.results.map(({ id }: { id: string }) => id)
        expect(found).toHaveLength(wanted.length)
        for (const id of found)
          expect(metadataOf.get(id)).toMatchObject({ [`s${share * 100}`]: false })
        const hits = found.filter((id: string) => wanted.includes(id))
        expect(hits.length).toBeGreaterThanOrEqual(0.95 * wanted.length)
      }
    })
  },
)
