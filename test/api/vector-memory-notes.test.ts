import { afterEach, describe, expect, it, vi } from 'vitest'
import { adminKey } from '../support/app.ts'
import { createClient } from '../support/client.ts'
import { ownEmbedded } from '../support/servers/own-database.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const closing: (() => Promise<void>)[] = []

/** A service with ten embeddings, whose vectors may take so many bytes of memory. */
async function startWith(maxBytes: number) {
  const warnings: string[] = []
  const warn = (note: string) => void warnings.push(note)
  const open = ownEmbedded({ memory: { fewestComponents: 1, maxBytes }, warn })
  const service = await startOwnService({}, true, open)
  closing.push(service.close)
  const request = (method: string, path: string, body?: unknown) =>
    createClient(service)(method, path, { key: adminKey, body })
  await request('PUT', '/v1/users/ann', {})
  const endpoint = 'https://provider-a.example/v1/embeddings'
  const instance = { endpoint, api_standard: 'provider-a', model: 'small', dimensions: 2 }
  await request('PUT', '/v1/llm-services/ann/model', instance)
  const named = { instance_owner: 'ann', instance_handle: 'model' }
  await request('PUT', '/v1/projects/ann/texts', named)
  const embeddings = Array.from({ length: 10 }, (_, at) => ({
    text_id: `t${at}`,
    instance_handle: 'model',
    vector_dim: 2,
    vector: [1, at / 10],
  }))
  expect((await request('POST', '/v1/embeddings/ann/texts', { embeddings })).status).toBe(201)
  const search = async () => {
    const answer = await request('GET', '/v1/similars/ann/texts/t0?limit=2')
    return answer.body.results.map(({ id }: { id: string }) => id)
  }
  return { warnings, search, ready: async () => (await request('GET', '/readyz')).body }
}

describe.skipIf(postgresOfRun() !== undefined)('vectors that are not in memory', () => {
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const close of closing.splice(0)) await close()
  })

  it('are searched in the database, which /readyz and one line of the log say', async () => {
    const { warnings, search, ready } = await startWith(1_000)
    expect(await ready()).toEqual({ status: 'ok' })
    for (let time = 0; time < 3; time += 1) expect(await search()).toEqual(['t1', 't2'])
    expect(warnings).toEqual([expect.stringContaining('SERVICE_VECTORMEMORY (1 MB)')])
    expect(await ready()).toEqual({ status: 'ok', notes: warnings })
  })

  it('are no news where none were wanted', async () => {
    const { warnings, search, ready } = await startWith(0)
    expect(await search()).toEqual(['t1', 't2'])
    expect(warnings).toEqual([])
    expect(await ready()).toEqual({ status: 'ok' })
  })

  it('cannot be there without SIMD', async () => {
    vi.spyOn(WebAssembly, 'validate').mockReturnValue(false)
    const { warnings, search, ready } = await startWith(2 ** 30)
    expect(await search()).toEqual(['t1', 't2'])
    expect(warnings).toEqual([expect.stringContaining('no SIMD')])
    expect(await ready()).toEqual({ status: 'ok', notes: warnings })
  })
})
