import { desc, eq, getTableColumns } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { historyOf } from '../../src/db/history.ts'
import { collections, embeddings } from '../../src/db/schema.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { cacheLimits } from '../support/app.ts'
import { similarity } from '../support/data/vectors.ts'
import { saveTables } from '../support/database/saved-tables.ts'
import { Cluster, hasPostgres } from '../support/servers/cluster.ts'
import {
  newTexts,
  type Replicated,
  startReplicated,
  upload,
} from '../support/servers/replicated-service.ts'
import { forReplicas, StreamingReplica } from '../support/servers/streaming-replica.ts'
import { waitUntil } from '../support/wait.ts'

const isTried = hasPostgres && inject('engine') === 'postgres'
const steps = 400
const random = randomNumbers(26)
const below = (end: number) => Math.floor(random() * end)
const pick = <T>(list: readonly T[]): T => list[below(list.length)] ?? expect.fail()
const newVector = () => [1, 2, 3].map(() => Math.fround(random() - 0.5))

const endAll = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'semblance'`

interface Shown {
  readonly text_id: string
  readonly vector: readonly number[]
}

let primary: Cluster
let replicas: StreamingReplica[] = []
/** Two processes on one database: the second searches in memory too. */
let services: Replicated[] = []

/** What happens to a replica from one step to another: it falls behind, goes on, or loses its connections. */
async function disturb(): Promise<void> {
  const replica = pick(replicas)
  const dice = random()
  if (dice < 0.4) await replica.pause()
  else if (dice < 0.9) await replica.resume()
  else await replica.query(endAll)
}

describe.skipIf(!isTried)('what was acknowledged', () => {
  beforeAll(async () => {
    primary = await Cluster.start(forReplicas)
    replicas = [await StreamingReplica.of(primary), await StreamingReplica.of(primary)]
    const ports = replicas.map(({ port }) => port)
    services = [
      await startReplicated(primary.port, ports),
      await startReplicated(primary.port, ports, { cacheLimits }),
    ]
    await Promise.all(services.map((service) => service.uses(2)))
  })
  afterAll(async () => {
    await Promise.all(services.map((service) => service.close()))
    await Promise.all(replicas.map((replica) => replica.stop()))
    await primary?.stop()
  })

  it('is in every answer that is asked for afterwards, of any process', async () => {
    await newTexts(pick(services), 'ann')
    const stored = new Map<string, number[]>()
    const write = async () => {
      const service = pick(services)
      const textId = `t${below(40)}`
      if (random() < 0.3 && stored.has(textId)) {
        const { status } = await service.call('DELETE', `/v1/embeddings/ann/texts/${textId}`)
        expect(status).toBe(200)
        stored.delete(textId)
        return
      }
      const some = [textId, `t${below(40)}`].map((id) => [id, newVector()] as const)
      await upload(service, 'ann', Object.fromEntries(some))
      for (const [id, vector] of some) stored.set(id, vector)
    }
    const list = async () => {
      const path = '/v1/embeddings/ann/texts?limit=200'
      const { body } = await pick(services).call('GET', path)
      const shown = body.embeddings.map(({ text_id, vector }: Shown) => [
        text_id,
        vector.map(Math.fround),
      ])
      expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(stored))
      expect(body.total_count).toBe(stored.size)
    }
    const search = async () => {
      const vector = newVector()
      const body = { vector, threshold: 0, limit: 10, filter: { of: { $ne: 't7' } } }
      const answer = await pick(services).call('POST', '/v1/similars/ann/texts', body)
      const near = [...stored]
        .filter(([id]) => id !== 't7')
        .map(([id, other]) => ({ id, similarity: similarity(vector, other) }))
        .filter(({ similarity }) => similarity >= 0)
        .sort((one, other) => other.similarity - one.similarity)
      const ids = answer.body.results.map(({ id }: { id: string }) => id)
      expect(ids).toEqual(near.slice(0, 10).map(({ id }) => id))
    }
    const exportAll = async () => {
      const path = '/v1/projects/ann/texts/export?format=ndjson'
      const lines = (await pick(services).call('GET', path)).body.split('\n').slice(0, -1)
      const ids = lines.map((line: string) => JSON.parse(line).text_id)
      expect(ids).toEqual([...stored.keys()].sort())
    }
    for (let step = 0; step < steps; step += 1) {
      if (step % 5 === 0) await disturb()
      await pick([write, write, list, search, search, search, exportAll])()
    }
    const sums = services.map((service) => service.sums())
    expect(Math.min(...sums.flatMap(({ reads, behind }) => [reads, behind]))).toBeGreaterThan(0)
  })

  it('is in the answers of those who ask at the same time', async () => {
    const [writer] = services
    if (writer === undefined) expect.fail()
    await newTexts(writer, 'bob')
    let acknowledged = 0
    let isOver = false
    /** The text_id of the newest embedding says how many have been before it. */
    const read = async (service: Replicated) => {
      while (!isOver) {
        const before = acknowledged
        const { body } = await service.call('GET', '/v1/embeddings/bob/texts')
        const seen = body.embeddings.map(({ text_id }: Shown) => Number(text_id))
        expect(Math.max(0, ...seen)).toBeGreaterThanOrEqual(before)
      }
    }
    const reading = Promise.all([...services, ...services].map(read))
    for (let next = 1; next <= 150; next += 1) {
      if (next % 10 === 0) await disturb()
      await upload(writer, 'bob', { [next]: newVector() })
      acknowledged = next
      if (next > 1) await writer.call('DELETE', `/v1/embeddings/bob/texts/${next - 1}`)
    }
    isOver = true
    await reading
  })

  it('is not mixed with what a replica holds of before a restore', async () => {
    const service = services[0] ?? expect.fail()
    const list = async () => {
      const { body } = await service.call('GET', '/v1/embeddings/eve/texts')
      return body.embeddings.map(({ text_id }: Shown) => text_id)
    }
    await newTexts(service, 'eve')
    await upload(service, 'eve', { kept: [1, 0, 0] })
    const saved = await saveTables(service.database)
    await upload(service, 'eve', { lost: [0, 1, 0] })
    await Promise.all(replicas.map((replica) => replica.resume()))
    await Promise.all(replicas.map((replica) => replica.catchUp()))
    await service.uses(2)
    const { reads } = service.sums()
    expect(await list()).toEqual(['kept', 'lost'])
    expect(service.sums().reads).toBeGreaterThan(reads)
    await Promise.all(replicas.map((replica) => replica.pause()))
    await primary.query(`truncate ${saved.tables.join()} cascade`)
    await saved.restore()
    expect(await list()).toEqual(['kept'])
    await upload(service, 'eve', { new: [0, 0, 1] })
    expect(await list()).toEqual(['kept', 'new'])
    await Promise.all(replicas.map((replica) => replica.resume()))
    await Promise.all(replicas.map((replica) => replica.catchUp()))
    expect(await list()).toEqual(['kept', 'new'])
  })

  it('is in what filters keep of the vectors in memory, whoever has asked first', async () => {
    const service = services[1] ?? expect.fail()
    await newTexts(service, 'cid')
    await upload(service, 'cid', { old: [1, 0, 0] })
    await Promise.all(replicas.map((replica) => replica.resume()))
    await Promise.all(replicas.map((replica) => replica.catchUp()))
    await service.uses(2)
    const { search, readAt } = service.database
    const [newest] = await search.db
      .select({ ...getTableColumns(collections), history: historyOf(collections) })
      .from(collections)
      .orderBy(desc(collections.collectionId))
    const { collectionId, revision, history } = newest ?? expect.fail()
    const state = { collectionId, dimensions: 3, vectors: 1, revision, history }
    const request = { query: { vector: new Float32Array([1, 0, 0]) }, count: 9, exact: false }
    const isInMemory = async () =>
      (await service.vectorCache.candidates(state, request)) !== undefined
    await waitUntil(isInMemory, 20)
    await Promise.all(replicas.map((replica) => replica.pause()))
    await upload(service, 'cid', { new: [1, 0, 0] })
    const stored = async () => {
      const { textId } = embeddings
      const rows = await search.db
        .select({ textId })
        .from(embeddings)
        .where(eq(embeddings.collectionId, collectionId))
      return rows.map((row) => row.textId).sort()
    }
    // As of a request that was looked up before the upload, and asks what the filter keeps behind it.
    const seen = await readAt({ collectionId, revision, history, index: undefined }, async () => ({
      byStatement: await stored(),
      inMemory: await service.vectorCache.candidates(
        { ...state, revision: revision + 1 },
        request,
        {
          key: 'all',
          find: async () => JSON.stringify(await stored()),
        },
      ),
    }))
    expect(seen.byStatement).toEqual(['old'])
    expect([...(seen.inMemory?.textIds ?? [])].sort()).toEqual(['new', 'old'])
    await Promise.all(replicas.map((replica) => replica.resume()))
  })
})
