import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { freePort } from '../shared/ports.ts'
import { appSettings } from '../support/app.ts'
import { Cluster, hasPostgres } from '../support/servers/cluster.ts'
import {
  newTexts,
  type Replicated,
  startReplicated,
  upload,
} from '../support/servers/replicated-service.ts'
import { forReplicas, StreamingReplica } from '../support/servers/streaming-replica.ts'
import { TcpProxy, type Verdict } from '../support/servers/tcp-proxy.ts'
import { waitUntil } from '../support/wait.ts'

const isTried = hasPostgres && inject('engine') === 'postgres'
const texts = '/ann/texts'
const vectors = { a: [1, 0, 0], b: [0.9, 0.1, 0], c: [0, 1, 0], d: [0, 0.9, 0.1] }

let primary: Cluster
let replicas: StreamingReplica[] = []
let service: Replicated
/** On the primary alone. */
let plain: Replicated

const caughtUp = () => Promise.all(replicas.map((replica) => replica.catchUp()))
const textIdsIn = ({ body }: { body: { results: { id: string }[] } }) =>
  body.results.map(({ id }) => id)
const search = async (of: Replicated, vector: readonly number[]) =>
  textIdsIn(await of.call('POST', `/v1/similars${texts}`, { vector, threshold: 0.9 }))

describe.skipIf(!isTried)('streaming replicas', () => {
  beforeAll(async () => {
    primary = await Cluster.start(forReplicas)
    replicas = [await StreamingReplica.of(primary), await StreamingReplica.of(primary)]
    const ports = replicas.map(({ port }) => port)
    service = await startReplicated(primary.port, ports)
    plain = await startReplicated(primary.port, [])
    await newTexts(service, 'ann')
    await upload(service, 'ann', vectors)
    await service.uses(2)
    await caughtUp()
  })
  afterAll(async () => {
    await service?.close()
    await plain?.database.close()
    await Promise.all(replicas.map((replica) => replica.stop()))
    await primary?.stop()
  })

  it.each<[method: string, path: string, body?: object]>([
    ['POST', `/v1/similars${texts}`, { vector: [1, 0, 0] }],
    ['POST', `/v1/similars${texts}`, { vector: [1, 0, 0], filter: { of: { $ne: 'a' } } }],
    ['POST', `/v1/similars${texts}`, { vector: [1, 0, 0], include: ['text', 'metadata'] }],
    ['GET', `/v1/similars${texts}/a?threshold=0`],
    ['POST', `/v1/similars${texts}/batch`, { searches: [{ vector: [1, 0, 0] }, { text_id: 'c' }] }],
    ['POST', `/v1/similars${texts}/neighbours`, { k: 2 }],
    ['GET', `/v1/embeddings${texts}`],
    ['GET', `/v1/embeddings${texts}?filter=${encodeURIComponent('{"of":"a"}')}`],
    ['POST', `/v1/embeddings${texts}/missing`, { items: [{ text_id: 'a' }, { text_id: 'z' }] }],
    ['GET', `/v1/projects${texts}/export?format=ndjson`],
    ['GET', `/v1/projects${texts}/export?format=semblance`],
    ['GET', `/v1/projects${texts}/statistics`],
    ['GET', `/v1/projects${texts}/fields`],
  ])('answer %s %s', async (method, path, body) => {
    const before = service.sums()
    const answer = await service.call(method, path, body)
    expect(answer).toMatchObject({ status: 200, body: (await plain.call(method, path, body)).body })
    const { reads, behind, failed } = service.sums()
    expect(reads).toBeGreaterThan(before.reads)
    expect({ behind, failed }).toEqual({ behind: before.behind, failed: before.failed })
  })

  it('are searched by the indexes of the primary', async () => {
    const many = Array.from({ length: 500 }, (_, at) => [`m${at}`, [1, at / 500, 0.5]] as const)
    await newTexts(service, 'eve')
    await upload(service, 'eve', Object.fromEntries(many))
    const indexed = await startReplicated(
      primary.port,
      replicas.map(({ port }) => port),
      { indexLimits: { ...appSettings.indexLimits, exactBudget: 100 } },
    )
    onTestFinished(() => indexed.database.close())
    // Seen for the first time, a project may still be growing; or another one reconciles just then.
    const serving = async () => {
      await indexed.searchIndexes.reconcile()
      return indexed.searchIndexes.tally.serving
    }
    await expect.poll(serving).toBe(1)
    await indexed.uses(2)
    await caughtUp()
    // Of so few dimensions an index does not always reach the usual recall.
    const query = { vector: [1, 0.3, 0.5], min_recall: 0.9 }
    const answer = await indexed.call('POST', '/v1/similars/eve/texts', query)
    expect(answer.headers.get('x-search-mode')).toBe('approximate')
    expect(answer.body.results).toHaveLength(10)
    expect(indexed.sums()).toMatchObject({ behind: 0, failed: 0 })
  })

  it('are not asked for what they have not replayed', async () => {
    await Promise.all(replicas.map((replica) => replica.pause()))
    const before = service.sums()
    await upload(plain, 'ann', { e: [0, 0, 1] })
    expect(await search(service, [0, 0, 1])).toEqual(['e'])
    expect((await service.call('GET', `/v1/embeddings${texts}`)).body.total_count).toBe(5)
    const exported = await service.call('GET', `/v1/projects${texts}/export?format=ndjson`)
    expect(exported.body.trim().split('\n')).toHaveLength(5)
    expect(service.sums()).toEqual({ ...before, behind: before.behind + 3 })
    await Promise.all(replicas.map((replica) => replica.resume()))
    await caughtUp()
    expect(await search(service, [0, 0, 1])).toEqual(['e'])
    expect(service.sums().reads).toBeGreaterThan(before.reads)
    await service.call('DELETE', `/v1/embeddings${texts}/e`)
  })

  it('show nobody what was taken away, or kept from others, since', async () => {
    const key = await newTexts(service, 'bob')
    await newTexts(service, 'cid')
    await upload(service, 'bob', vectors)
    const share = { share_with_handle: 'cid', role: 'reader' }
    await service.call('POST', '/v1/projects/bob/texts/share', share)
    await service.call('PATCH', '/v1/projects/bob/texts', { public_read: true })
    const ofCid = await service.call('POST', '/v1/users/cid/rotate-key')
    await caughtUp()
    const ask = async (asker?: string) => {
      const headers = asker === undefined ? {} : { Authorization: `Bearer ${asker}` }
      const body = JSON.stringify({ vector: [1, 0, 0] })
      const request = { method: 'POST', body, headers }
      return (await service.app.request('/v1/similars/bob/texts', request)).status
    }
    await Promise.all(replicas.map((replica) => replica.pause()))
    expect(await Promise.all([ask(), ask(key), ask(ofCid.body.api_key)])).toEqual([200, 200, 200])
    await plain.call('PATCH', '/v1/projects/bob/texts', { public_read: false })
    expect(await Promise.all([ask(), ask(ofCid.body.api_key)])).toEqual([401, 200])
    await plain.call('DELETE', '/v1/projects/bob/texts/share/cid')
    expect(await ask(ofCid.body.api_key)).toBe(403)
    const { body } = await plain.call('POST', '/v1/users/bob/rotate-key')
    expect(await Promise.all([ask(key), ask(body.api_key)])).toEqual([401, 200])
    await plain.call('DELETE', '/v1/embeddings/bob/texts')
    const emptied = await service.call('POST', '/v1/similars/bob/texts', { vector: [1, 0, 0] })
    expect(emptied.body.results).toEqual([])
    await plain.call('DELETE', '/v1/projects/bob/texts')
    expect(await ask(body.api_key)).toBe(404)
    await Promise.all(replicas.map((replica) => replica.resume()))
  })

  it('are left out while they are gone, and come back by themselves', async () => {
    const [first] = replicas
    await first?.crash()
    for (let times = 0; times < 10; times += 1) {
      expect(await search(service, [1, 0, 0])).toEqual(['a', 'b'])
    }
    await service.uses(1)
    const { body } = await service.call('GET', '/readyz')
    expect(body.notes).toEqual(['1 of 2 read replicas are left out; the log says why'])
    const metrics = await service.call('GET', '/metrics')
    expect(metrics.body).toContain(`semblance_replica_in_use{replica="127.0.0.1:${first?.port}"} 0`)
    await first?.start()
    await service.uses(2)
  })

  it('lose connections, and nobody notices', async () => {
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'semblance'`
    for (let times = 0; times < 10; times += 1) {
      const asked = Array.from({ length: 8 }, () => search(service, [1, 0, 0]))
      await Promise.all(replicas.map((replica) => replica.query(end)))
      for (const found of await Promise.all(asked)) expect(found).toEqual(['a', 'b'])
    }
    await service.uses(2)
  })

  it('are read from also by who has a new connection to the primary', async () => {
    const { reads } = service.sums()
    await primary.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'semblance'`,
    )
    expect(await search(service, [1, 0, 0])).toEqual(['a', 'b'])
    expect(service.sums().reads).toBe(reads + 1)
  })

  it('are left out when they go silent', async () => {
    let verdict: Verdict = 'pass'
    const [first] = replicas
    const target = { host: '127.0.0.1', port: first?.port ?? 0 }
    const proxy = await TcpProxy.to(target, () => () => verdict)
    onTestFinished(() => proxy.close())
    const behindProxy = await startReplicated(primary.port, [proxy.port])
    onTestFinished(() => behindProxy.database.close())
    await behindProxy.uses(1)
    expect(await search(behindProxy, [1, 0, 0])).toEqual(['a', 'b'])
    verdict = 'swallow'
    expect(await search(behindProxy, [1, 0, 0])).toEqual(['a', 'b'])
    await behindProxy.uses(0)
    verdict = 'pass'
    await behindProxy.uses(1)
  })

  it('are left out while a table is locked by what they have replayed', async () => {
    const sql = postgres({ host: primary.folder, port: primary.port, user: 'postgres', max: 1 })
    onTestFinished(() => sql.end())
    const [first] = replicas
    const own = await startReplicated(primary.port, [first?.port ?? 0])
    onTestFinished(() => own.database.close())
    await own.uses(1)
    await sql.unsafe('begin; lock table embeddings in access exclusive mode')
    await first?.catchUp()
    await first?.pause()
    await sql.unsafe('rollback')
    expect(await search(own, [1, 0, 0])).toEqual(['a', 'b'])
    await own.uses(0)
    await first?.resume()
    await own.uses(1)
  })

  it('are left out as soon as they are promoted', async () => {
    const third = await StreamingReplica.of(primary)
    onTestFinished(() => third.stop())
    const own = await startReplicated(primary.port, [third.port])
    onTestFinished(() => own.database.close())
    await own.uses(1)
    await third.catchUp()
    expect(await search(own, [1, 0, 0])).toEqual(['a', 'b'])
    expect(own.sums().reads).toBe(1)
    await third.promote()
    await third.query('delete from embeddings; update collections set revision = revision + 9')
    expect(await search(own, [1, 0, 0])).toEqual(['a', 'b'])
    await own.uses(0)
    expect(own.database.replicas()[0]?.leftOut).toMatch(/^it is not in recovery/)
  })

  it('are those of this server alone', async () => {
    const other = await Cluster.start(forReplicas)
    onTestFinished(() => other.stop())
    const ofOther = await StreamingReplica.of(other)
    onTestFinished(() => ofOther.stop())
    const ports = [ofOther.port, other.port, await freePort()]
    const own = await startReplicated(primary.port, ports)
    onTestFinished(() => own.database.close())
    const reasons = () => own.database.replicas().map(({ leftOut }) => leftOut ?? '')
    const isLookedAt = () => reasons().every((reason) => !reason.includes('not looked at'))
    await waitUntil(isLookedAt)
    expect(reasons()).toEqual([
      expect.stringMatching(/^it is a replica of another server/),
      expect.stringMatching(/^it is not in recovery/),
      expect.stringMatching(/^ECONNREFUSED/),
    ])
    expect(await search(own, [1, 0, 0])).toEqual(['a', 'b'])
    expect(own.sums().reads).toBe(0)
  })
})
