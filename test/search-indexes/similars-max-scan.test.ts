import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modelOf } from '../shared/model.ts'
import { adminKey } from '../support/app.ts'
import { createClient } from '../support/client.ts'
import { structured } from '../support/data/indexed.ts'
import { startOwnService } from '../support/servers/own-service.ts'

const documents = structured(1_200, 96, 8)
const similars = '/v1/similars/ann/texts'

let service: Awaited<ReturnType<typeof startOwnService>>
let client: ReturnType<typeof createClient>

const request = (method: string, path: string, body?: unknown) =>
  client(method, path, { key: adminKey, body })

describe('a project beyond SERVICE_MAXSCAN', () => {
  beforeAll(async () => {
    service = await startOwnService({ maxScan: 100_000 })
    client = createClient(service)
    await request('PUT', '/v1/users/ann', {})
    await request('PUT', '/v1/llm-services/ann/model', modelOf(96))
    const instance = { instance_owner: 'ann', instance_handle: 'model' }
    await request('PUT', '/v1/projects/ann/texts', instance)
    const embeddings = documents.map(({ text_id, vector }, index) => ({
      text_id,
      vector,
      vector_dim: 96,
      instance_handle: 'model',
      metadata: { kept: index % 50 ? 'no' : 'yes' },
    }))
    const uploaded = await request('POST', '/v1/embeddings/ann/texts', { embeddings })
    expect(uploaded.status).toBe(201)
    for (let look = 0; look < 2; look += 1) await service.searchIndexes.reconcile()
  })
  afterAll(() => service.close())

  it.each([
    ['far pages', 'offset=500'],
    ['a filter that keeps little', 'limit=200&metadata_path=kept&metadata_value=no'],
  ])('is answered what the index finds: %s', async (_, query) => {
    const path = `${similars}/${documents[0]?.text_id}?threshold=0&${query}`
    const answer = await request('GET', path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-search-mode')).toBe('approximate')
    expect(answer.headers.get('server-timing')).not.toContain('exact')
    const exact = await request('GET', `${path}&exact=true`)
    expect(exact.headers.get('x-search-mode')).toBe('exact')
    const exactIds = exact.body.results.map(({ id }: { id: string }) => id)
    for (const { id } of answer.body.results) expect(exactIds).toContain(id)
  })

  it('has full pages where a filter keeps more than a page holds', async () => {
    const path = `${similars}/${documents[0]?.text_id}?threshold=0&metadata_path=kept&metadata_value=yes`
    const ids = async (query: string) => {
      const { body } = await request('GET', `${path}&${query}`)
      return body.results.map(({ id }: { id: string }) => id)
    }
    const whole = await ids('limit=200')
    expect(whole).toHaveLength(200)
    const pages = await Promise.all(
      [0, 50, 100, 150].map((offset) => ids(`limit=50&offset=${offset}`)),
    )
    expect(pages.flat()).toEqual(whole)
  })

  it('is told of by /v1/limits', async () => {
    expect((await request('GET', '/v1/limits')).body.max_scan_components).toBe(100_000)
  })
})
