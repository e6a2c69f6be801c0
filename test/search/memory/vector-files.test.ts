import { readdir, readFile, rename, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ArrayReader } from '../../../src/search/memory/files/array-file.ts'
import { createSealer } from '../../../src/secrets/sealing.ts'
import { createApp } from '../../../src/server/app.ts'
import { modelOf } from '../../shared/model.ts'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { adminKey, appSettings, cacheLimits } from '../../support/app.ts'
import { createClient } from '../../support/client.ts'
import { similarity } from '../../support/data/vectors.ts'
import { saveTables } from '../../support/database/saved-tables.ts'
import { watch } from '../../support/secrets/watch.ts'
import { encryptionKey, startOwnService } from '../../support/servers/own-service.ts'
import { isOnCitus } from '../../support/servers/postgres-place.ts'
import { newFolder } from '../../support/servers/site.ts'
import { waitUntil } from '../../support/wait.ts'

const dimensions = 64
const random = randomNumbers(31)
const newVector = (length = dimensions) => Array.from({ length }, () => Math.fround(random() - 0.5))
const path = '/v1/embeddings/ann/texts'

type Service = Pick<Awaited<ReturnType<typeof startOwnService>>, 'app' | 'document' | 'vectorCache'>

let own: Awaited<ReturnType<typeof startOwnService>>
let folder: string
let settings: Parameters<typeof startOwnService>[0] & object
let stored: Map<string, number[]>

const request = (service: Service, method: string, to: string, body?: unknown) =>
  createClient(service)(method, to, { key: adminKey, body })

async function upload(
  ids: readonly string[],
  service: Service = own,
  length = dimensions,
): Promise<void> {
  const embeddings = ids.map((text_id) => ({ text_id, vector: newVector(length) }))
  const instance_handle = length === dimensions ? 'model' : 'larger'
  const body = { instance_handle, vector_dim: length, embeddings }
  const { status } = await request(service, 'POST', `${path}?on_conflict=replace`, body)
  expect(status).toBeLessThan(300)
  for (const { text_id, vector } of embeddings) stored.set(text_id, vector)
}

/** The same server, started anew. */
function restarted(): Service {
  const sealer = createSealer(encryptionKey)
  const { database } = own
  const service = createApp({ ...appSettings, ...settings, database, sealer, log: watch.log() })
  service.vectorCache.start()
  return { ...service, app: watch.app(service.app) }
}

/** Searches until memory answers. */
async function untilInMemory(service: Service, length?: number): Promise<void> {
  const body = { vector: newVector(length) }
  await waitUntil(async () => {
    const { headers } = await request(service, 'POST', '/v1/similars/ann/texts', body)
    return headers.get('server-timing')?.includes('memory') === true
  })
}

/** Searches by a vector in memory, and compares with what is stored. */
async function expectTruth(service: Service, length = dimensions): Promise<void> {
  for (let time = 0; time < 5; time += 1) {
    const vector = newVector(length)
    const body = { vector, threshold: 0, limit: 10 }
    const { body: answer } = await request(service, 'POST', '/v1/similars/ann/texts', body)
    const nearest = [...stored]
      .map(([id, other]) => ({ id, similarity: similarity(vector, other) }))
      .sort((a, b) => b.similarity - a.similarity)
    expect(answer.results.map(({ id }: { id: string }) => id)).toEqual(
      nearest.slice(0, 10).map(({ id }) => id),
    )
  }
}

const files = async () => (await readdir(folder)).map((name) => join(folder, name))
const onlyFile = async () => (await files())[0] ?? expect.fail('there is no file')

/** How many times vectors were read from the database. */
const told = () => vi.spyOn(Worker.prototype, 'postMessage')
const loadsIn = (calls: ReturnType<typeof told>) =>
  calls.mock.calls.filter(([{ request: sent }]) => sent?.do === 'load').length

describe('vectors in memory, after a restart', () => {
  beforeEach(async () => {
    folder = join(await newFolder(), 'vectors')
    const limits = { files: { folder, fewestComponents: 1 }, exactBudget: 5_000 }
    settings = { cacheLimits: { ...cacheLimits, ...limits } }
    stored = new Map()
    own = await startOwnService(settings)
    await request(own, 'PUT', '/v1/users/ann', {})
    await request(own, 'PUT', '/v1/llm-services/ann/model', modelOf(dimensions))
    const named = { instance_owner: 'ann', instance_handle: 'model' }
    await request(own, 'PUT', '/v1/projects/ann/texts', named)
    await upload(Array.from({ length: 300 }, (_, at) => `t${at}`))
    await untilInMemory(own)
    await request(own, 'DELETE', `${path}/t7`)
    stored.delete('t7')
    await own.vectorCache.write(true)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await own.close()
  })

  it('come from a file, and what has changed since from the database', async () => {
    const calls = told()
    const second = restarted()
    await untilInMemory(second)
    await expectTruth(second)
    expect(loadsIn(calls)).toBe(0)
    await upload(['t8', 'new', 'ä'])
    await request(own, 'DELETE', `${path}/t9`)
    stored.delete('t9')
    const third = restarted()
    await untilInMemory(third)
    await expectTruth(third)
    await upload(['t1', 'next'], third)
    await expectTruth(third)
    expect(loadsIn(calls)).toBe(0)
  })

  it('are written again only after a change, in place of the file before', async () => {
    const before = await files()
    expect(before).toHaveLength(1)
    await own.vectorCache.write(true)
    expect(await files()).toEqual(before)
    await upload(['other'])
    await own.vectorCache.write()
    expect(await files()).toEqual(before)
    await own.vectorCache.write(true)
    const after = await files()
    expect(after).toHaveLength(1)
    expect(after).not.toEqual(before)
  })

  const spoil: [string, (file: string) => Promise<unknown>][] = [
    ['that is torn', async (file) => truncate(file, (await readFile(file)).length - 1_000)],
    ['that is empty', (file) => truncate(file, 0)],
    ['with another number', (file) => changed(file, 5_000)],
    ['with another list of its parts', async (file) => changed(file, -50)],
    ['that another name proves', (file) => rename(file, file.replace(/-[0-9a-f]{8}/, '-00000000'))],
  ]
  it.each(spoil)('do not come from a file %s', async (_, change) => {
    await change(await onlyFile())
    const calls = told()
    const second = restarted()
    await untilInMemory(second)
    await expectTruth(second)
    expect(loadsIn(calls)).toBeGreaterThan(0)
    await second.vectorCache.write(true)
    calls.mockClear()
    const third = restarted()
    await untilInMemory(third)
    await expectTruth(third)
    expect(loadsIn(calls)).toBe(0)
  })

  it.skipIf(isOnCitus())('do not come from a file that is ahead of its database', async () => {
    const saved = await saveTables(own.database)
    const before = new Map(stored)
    await upload(['t1', 'lost'])
    await own.vectorCache.write(true)
    const ahead = await onlyFile()
    const kept = await readFile(ahead)
    await saved.restore()
    stored = before
    await upload(['t1', 'other'])
    // The revision is that of the file now, with other contents.
    await writeFile(ahead, kept)
    const calls = told()
    const second = restarted()
    await untilInMemory(second)
    await expectTruth(second)
    expect(loadsIn(calls)).toBeGreaterThan(0)
  })

  it.skipIf(isOnCitus())('are not written after a restore that nobody has noticed', async () => {
    const saved = await saveTables(own.database)
    const before = new Map(stored)
    const half = [...stored.keys()].slice(0, 150)
    await upload(half)
    await own.database.maintenance.db.execute(sql.raw(`truncate ${saved.tables.join()} cascade`))
    await saved.restore()
    stored = before
    // Memory is at the same revision, with other contents.
    await upload(half)
    await own.vectorCache.write(true)
    const second = restarted()
    await untilInMemory(second)
    await expectTruth(second)
  })

  it('come from the database if those of the file have other dimensions', async () => {
    await request(own, 'POST', `${path}/delete`, { text_ids: [...stored.keys()] })
    stored.clear()
    await request(own, 'PUT', '/v1/llm-services/ann/larger', modelOf(2 * dimensions))
    const named = { instance_owner: 'ann', instance_handle: 'larger' }
    await request(own, 'PUT', '/v1/projects/ann/texts', named)
    await upload(
      Array.from({ length: 40 }, (_, at) => `t${at}`),
      own,
      2 * dimensions,
    )
    const calls = told()
    const second = restarted()
    await untilInMemory(second, 2 * dimensions)
    await expectTruth(second, 2 * dimensions)
    expect(loadsIn(calls)).toBe(1)
  })

  it('are not kept of a project that is gone', async () => {
    await request(own, 'DELETE', '/v1/projects/ann/texts')
    await own.vectorCache.clean()
    expect(await files()).toEqual([])
    const unfinished = join(folder, '7-1.unfinished')
    await writeFile(unfinished, '')
    await utimes(unfinished, 0, 0)
    await own.vectorCache.clean()
    expect(await files()).toEqual([])
  })

  it('lie in a file that only its owner may read', async () => {
    expect((await stat(await onlyFile())).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })
})

async function changed(file: string, at: number): Promise<void> {
  const bytes = await readFile(file)
  const place = at < 0 ? bytes.length + at : at
  bytes[place] = (bytes[place] ?? 0) ^ 1
  await writeFile(file, bytes)
}

it('reads no part of a file that its hash does not prove', async () => {
  const file = join(await newFolder(), 'file')
  await writeFile(file, Buffer.alloc(100, 255))
  await expect(ArrayReader.open(file, 'a'.repeat(64))).rejects.toThrow('not as it was written')
})
