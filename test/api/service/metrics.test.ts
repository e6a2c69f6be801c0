import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { offlineDatabase } from '../../../src/db/offline.ts'
import { adminKey, cacheLimits, serviceOn, testApp } from '../../support/app.ts'
import { asAdmin } from '../../support/client.ts'
import { embedding } from '../../support/factories.ts'
import { startOwnService } from '../../support/servers/own-service.ts'
import { startServiceInMemory } from '../../support/servers/service-in-memory.ts'
import { type ServiceOfAnn, startServiceOfAnn } from '../../support/servers/service-of-ann.ts'
import { waitUntilPassing } from '../../support/wait.ts'

const service = await startServiceOfAnn({ publicMetrics: true })
afterAll(service.close)

const send = (...[method, path, body]: Parameters<ServiceOfAnn['send']>) =>
  service.send(method, path, body)

/** The figures by name and labels, as Prometheus would read them. */
async function figures(): Promise<Record<string, number>> {
  const answer = await service.app.request('/metrics')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const lines = (await answer.text()).split('\n').filter((line) => /^[^#]/.test(line))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

describe('/metrics', () => {
  it('counts requests, searches and uploads', async () => {
    await service.addProject('texts')
    await service.upload('texts', [embedding('a', [1, 2, 3]), embedding('b', [1, 2, 3])])
    // Refused, hence no upload.
    await service.upload('texts', [embedding('a', [1, 2, 3])])
    await send('GET', '/v1/similars/ann/texts/a')
    await send('POST', '/v1/similars/ann/texts', { vector: [1, 2, 4] })
    await send('GET', '/v1/nothing')
    const found = await figures()
    const requests = (labels: string) =>
      found[`semblance_http_request_duration_seconds_count{${labels}}`]
    const uploads = 'route="/v1/embeddings/{user}/{project}"'
    expect(requests(`method="POST",${uploads},status="201"`)).toBe(1)
    expect(requests(`method="POST",${uploads},status="409"`)).toBe(1)
    expect(requests('method="GET",route="none",status="404"')).toBe(1)
    const searches = ['memory', 'database-exact'].map(
      (strategy) => found[`semblance_searches_total{mode="exact",strategy="${strategy}"}`] ?? 0,
    )
    expect(searches.reduce((sum, count) => sum + count, 0)).toBe(2)
    expect(found['semblance_upload_embeddings_sum']).toBe(2)
    expect(found['semblance_upload_embeddings_count']).toBe(1)
    expect(found['semblance_upload_bytes_sum']).toBeGreaterThan(100)
    // The request for the figures itself.
    expect(found['semblance_http_requests_in_flight']).toBe(1)
  })

  it('counts what is stored', async () => {
    await service.addProject('gone')
    await service.upload('gone', [embedding('a', [1, 2, 3])])
    await send('DELETE', '/v1/projects/ann/gone')
    // They are absent as long as a busy database has not told them.
    const found = await waitUntilPassing(async () => {
      const found = await figures()
      expect(found).toMatchObject({ semblance_users: 1, semblance_projects: 1 })
      return found
    }, 500)
    expect(found['semblance_embeddings']).toBe(2)
    expect(found['semblance_database_bytes']).toBeGreaterThan(1e6)
  })

  it('has what is stored also when the scraper that asked first has left', async () => {
    const { app, database, close } = await startOwnService({ publicMetrics: true })
    onTestFinished(close)
    const leaving = new AbortController()
    await database.bulk.transaction(async () => {
      const first = Promise.resolve(app.request('/metrics', { signal: leaving.signal }))
      first.catch(() => {})
      // Until both of its statements wait, where there is one connection.
      if (inject('engine') === 'embedded') {
        await expect.poll(() => database.load()['embedded']?.queued).toBe(2)
      }
      leaving.abort()
    })
    const text = async () => (await app.request('/metrics')).text()
    // On a busy machine the statement takes longer than a scraper waits. After ten seconds there is another.
    await expect.poll(text, { timeout: 8_000 }).toMatch(/^semblance_users 0$/m)
  })

  it('has the other figures when the database does not answer', async () => {
    const { app } = serviceOn(offlineDatabase, { publicMetrics: true })
    const answer = await app.request('/metrics')
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(text).toMatch(/^process_resident_memory_bytes \d/m)
    expect(text).not.toMatch(/^semblance_embeddings /m)
  })

  it('says how full the memory for vectors is', async () => {
    const { service: other } = await startServiceInMemory(3, () => [1, 2, 3])
    onTestFinished(other.close)
    const headers = { Authorization: `Bearer ${adminKey}` }
    const text = await (await other.app.request('/metrics', { headers })).text()
    const figure = (name: string) =>
      Number(new RegExp(`^semblance_vector_memory_${name} (\\d+)$`, 'm').exec(text)?.[1])
    expect(figure('projects')).toBe(1)
    expect(figure('bytes')).toBeGreaterThan(500 * 3)
    expect(figure('max_bytes')).toBe(cacheLimits.maxBytes)
  })

  it('shows the pools, the indexes and the process', async () => {
    const found = await figures()
    const pool = inject('engine') === 'embedded' ? 'embedded' : 'search'
    expect(found[`semblance_pool_connections{pool="${pool}"}`]).toBeGreaterThan(0)
    for (const name of [
      ...['in_use', 'waiting', 'waits_total', 'wait_seconds_total', 'refused_total'],
    ]) {
      expect(found, name).toHaveProperty([`semblance_pool_${name}{pool="${pool}"}`])
    }
    expect(found['semblance_search_indexes']).toBe(0)
    expect(found['semblance_search_index_changes_total{change="built"}']).toBe(0)
    expect(found['process_resident_memory_bytes']).toBeGreaterThan(1e7)
    expect(found).toHaveProperty('nodejs_eventloop_lag_p99_seconds')
    const info = Object.keys(found).filter((name) => name.startsWith('semblance_info{'))
    const { engine } = (await testApp()).database
    expect(info).toEqual([expect.stringContaining(`engine="${engine}"`)])
  })

  it('says the same of what stays to the next who asks', async () => {
    const [first, second] = [await figures(), await figures()]
    const isLasting = (name: string) => /^semblance_(pool_connections|vector_memory_max)/.test(name)
    const lasting = Object.keys(first).filter(isLasting)
    expect(lasting.length).toBeGreaterThan(1)
    for (const name of lasting) expect(second[name], name).toBe(first[name])
  })

  it('is for the administrator unless it was opened', async () => {
    const { status, body } = await asAdmin('GET', '/metrics')
    expect(status).toBe(200)
    expect(body).toMatch(/^semblance_http_requests_in_flight [1-9]/m)
  })
})
