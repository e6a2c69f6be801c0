import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminKey, appSettings, indexLimits } from '../../support/app.ts'
import { type Call, createClient } from '../../support/client.ts'
import { structured } from '../../support/data/indexed.ts'
import { embedding } from '../../support/factories.ts'
import { startOwnService } from '../../support/servers/own-service.ts'
import { hasSearchIndexes } from '../../support/servers/postgres-place.ts'

// A database of its own: the overview is of all that there is.
let service: Awaited<ReturnType<typeof startOwnService>>
let call: ReturnType<typeof createClient>
beforeAll(async () => {
  service = await startOwnService({
    slowMs: 0.000_1,
    indexLimits,
    cacheLimits: { ...appSettings.cacheLimits, maxBytes: 2 ** 30 },
  })
  call = createClient(service)
  await addUser('ann', 3)
  await addUser('ben', 4)
  await asAdmin('PUT', '/v1/users/zoe', { body: {} })
  await upload('ann', 'texts', ['a', 'b'], [1, 2, 3])
  await upload('ben', 'texts', ['a', 'b', 'c'], [1, 2, 3, 4])
})
afterAll(() => service.close())

const asAdmin = (method: string, path: string, options: Call = {}) =>
  call(method, path, { key: adminKey, ...options })

async function addUser(user: string, dimensions: number): Promise<void> {
  await asAdmin('PUT', `/v1/users/${user}`, { body: {} })
  const instance = {
    endpoint: 'https://provider-a.example',
    api_standard: 'provider-a',
    model: 'm',
  }
  await asAdmin('PUT', `/v1/llm-services/${user}/model`, { body: { ...instance, dimensions } })
  for (const project of ['texts', 'empty']) {
    const body = { instance_owner: user, instance_handle: 'model' }
    expect((await asAdmin('PUT', `/v1/projects/${user}/${project}`, { body })).status).toBe(201)
  }
}

async function upload(user: string, project: string, ids: string[], vector: number[]) {
  const embeddings = ids.map((id) => embedding(id, vector))
  const answer = await asAdmin('POST', `/v1/embeddings/${user}/${project}`, {
    body: { embeddings },
  })
  expect(answer.status).toBe(201)
}

const overview = async () => {
  const { status, body } = await asAdmin('GET', '/v1/admin/overview')
  expect(status).toBe(200)
  return body
}

describe('the overview', () => {
  it('lists users and projects by size, with estimated bytes', async () => {
    const { totals, users, projects } = await overview()
    expect(totals).toEqual({
      ...{ user_count: 3, project_count: 4, embedding_count: 5 },
      database_bytes: expect.any(Number),
    })
    expect(totals.database_bytes).toBeGreaterThan(1_000_000)
    const size = (embedding_count: number, estimated_bytes: number) => ({
      embedding_count,
      estimated_bytes,
    })
    expect(users).toEqual([
      { user_handle: 'ben', project_count: 2, ...size(3, 3 * 24) },
      { user_handle: 'ann', project_count: 2, ...size(2, 2 * 20) },
      { user_handle: 'zoe', project_count: 0, ...size(0, 0) },
    ])
    const of = (owner: string, project_handle: string) => ({ owner, project_handle })
    expect(projects).toEqual([
      { ...of('ben', 'texts'), dimensions: 4, ...size(3, 3 * 24) },
      { ...of('ann', 'texts'), dimensions: 3, ...size(2, 2 * 20) },
      { ...of('ann', 'empty'), dimensions: 0, ...size(0, 0) },
      { ...of('ben', 'empty'), dimensions: 0, ...size(0, 0) },
    ])
  })

  it('lists the slowest requests with what they were about', async () => {
    await asAdmin('POST', '/v1/similars/ben/texts', { body: { vector: [1, 2, 3, 4] } })
    const { slow } = await overview()
    expect(slow.above_ms).toBe(0)
    expect(slow.requests.length).toBeLessThanOrEqual(50)
    expect(slow.count).toBeGreaterThanOrEqual(slow.requests.length)
    const times = slow.requests.map(({ ms }: { ms: number }) => ms)
    expect(times).toEqual(times.toSorted((a: number, b: number) => b - a))
    const found = slow.requests.find(({ route }: { route: string }) =>
      route.startsWith('/v1/similars/'),
    )
    expect(found).toMatchObject({
      ...{ method: 'POST', route: '/v1/similars/{user}/{project}', status: 200 },
      ...{ user: 'ben', project: 'texts', caller: '_admin' },
    })
  })

  it('counts refusals by status and route, with the words of the last one', async () => {
    const body = { vector: [1, 2] }
    for (let times = 0; times < 2; times += 1)
      await asAdmin('POST', '/v1/similars/ben/texts', { body })
    await call('GET', '/v1/users', { key: 'smb_no-key-of-anybody-at-all' })
    const { refusals } = await overview()
    const kinds = new Map<string, { count: number; detail: string }>(
      refusals.kinds.map((kind: { status: number; method: string; route: string }) => [
        `${kind.status} ${kind.method} ${kind.route}`,
        kind,
      ]),
    )
    const searched = kinds.get('400 POST /v1/similars/{user}/{project}')
    expect(searched?.count).toBe(2)
    expect(searched?.detail).toContain('expected 4 dimensions, got 2')
    expect(kinds.get('401 GET /v1/users')?.count).toBe(1)
    expect(refusals.count).toBeGreaterThanOrEqual(3)
    expect(JSON.stringify(refusals)).not.toContain('no-key-of-anybody')
  })

  it('tells which vectors are in memory', async () => {
    await expect
      .poll(
        async () => {
          await asAdmin('POST', '/v1/similars/ben/texts', { body: { vector: [1, 2, 3, 4] } })
          return (await overview()).memory.projects
        },
        { timeout: 20_000 },
      )
      .toEqual([
        {
          project: { owner: 'ben', project_handle: 'texts' },
          bytes: expect.any(Number),
          is_ready: true,
        },
      ])
    const { memory } = await overview()
    expect(memory).toMatchObject({ is_on: true, max_bytes: 2 ** 30, project_count: 1, notes: [] })
    expect(memory.bytes).toBe(memory.projects[0].bytes)
  })

  it.runIf(hasSearchIndexes())('tells which search indexes there are, or are missing', async () => {
    await addUser('large', 200)
    const documents = structured(1_000, 200)
    const embeddings = documents.map(({ vector }, index) => embedding(`t${index}`, [...vector]))
    await asAdmin('POST', '/v1/embeddings/large/texts', { body: { embeddings } })
    const before = await overview()
    const project = { owner: 'large', project_handle: 'texts' }
    expect(before.indexes).toMatchObject({
      count: 1,
      items: [{ project, state: 'missing', bytes: 0 }],
    })
    expect(before.users[0].user_handle).toBe('large')
    await service.searchIndexes.reconcile()
    await service.searchIndexes.reconcile()
    const { indexes } = await overview()
    expect(indexes).toMatchObject({
      count: 1,
      items: [{ project, state: 'valid', dimensions: 200 }],
    })
    expect(indexes.items[0].bytes).toBeGreaterThan(100_000)
  })
})
