import { readFile, rename, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CacheThread } from '../../../src/search/memory/cache-thread.ts'
import { ArrayReader } from '../../../src/search/memory/files/array-file.ts'
import { modelOf } from '../../shared/model.ts'
import { saveTables } from '../../support/database/saved-tables.ts'
import { isOnCitus } from '../../support/servers/postgres-place.ts'
import { newFolder } from '../../support/servers/site.ts'
import {
  messages,
  path,
  startWithVectorFiles,
  type WithVectorFiles,
} from '../../support/servers/vector-files.ts'
import { waitUntil } from '../../support/wait.ts'

const dimensions = 64

/** Where a file has numbers of float32, which are read later, and those of 8 bits behind them. */
const [atFloats, atBytes] = [5_000, 270_000]

let world: WithVectorFiles

const onlyFile = async () => (await world.files())[0] ?? expect.fail('there is no file')

describe('vectors in memory, after a restart', () => {
  beforeEach(async () => {
    world = await startWithVectorFiles(dimensions, 5_000)
    const { own, request, upload, untilInMemory } = world
    await upload(Array.from({ length: 300 }, (_, at) => `t${at}`))
    await untilInMemory(own)
    await request(own, 'DELETE', `${path}/t7`)
    world.stored.delete('t7')
    await own.vectorCache.write(true)
  })
  afterEach(async () => {
    const { own } = world
    vi.restoreAllMocks()
    await own.close()
  })

  it('come from a file, and what has changed since from the database', async () => {
    const { own, request, upload, restarted, untilInMemory, expectTruth } = world
    const { sent } = messages()
    const second = restarted()
    await untilInMemory(second)
    await expectTruth(second)
    expect(sent('load')).toBe(0)
    await upload(['t8', 'new', 'ä'])
    await request(own, 'DELETE', `${path}/t9`)
    world.stored.delete('t9')
    const third = restarted()
    await untilInMemory(third)
    await expectTruth(third)
    await upload(['t1', 'next'], third)
    await expectTruth(third)
    expect(sent('load')).toBe(0)
  })

  it('are written again only after a change, in place of the file before', async () => {
    const { own, upload, files } = world
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
    ['with another number', (file) => changed(file, atBytes)],
    ['with another list of its parts', async (file) => changed(file, -50)],
    ['that another name proves', (file) => rename(file, file.replace(/-[0-9a-f]{8}/, '-00000000'))],
  ]
  it.each(spoil)('do not come from a file %s', async (_, change) => {
    const { restarted, untilInMemory, expectTruth } = world
    await change(await onlyFile())
    const { sent } = messages()
    const second = restarted()
    await untilInMemory(second)
    await expectTruth(second)
    expect(sent('load')).toBeGreaterThan(0)
    await second.vectorCache.write(true)
    const before = sent('load')
    const third = restarted()
    await untilInMemory(third)
    await expectTruth(third)
    expect(sent('load')).toBe(before)
  })

  it('do not come from a file whose damage shows only when a number is needed', async () => {
    const { restarted, request, expectTruth, files } = world
    await changed(await onlyFile(), atFloats)
    const { sent } = messages()
    const second = restarted()
    await waitUntil(async () => (await files()).length === 0)
    // Nothing but this asks for the vectors.
    const body = { text_id: 't1', min_percentile: 0.5 }
    await waitUntil(
      async () => (await request(second, 'POST', '/v1/similars/ann/texts', body)).status === 200,
    )
    await expectTruth(second)
    expect(sent('load')).toBeGreaterThan(0)
  })

  it.skipIf(isOnCitus())('do not come from a file that is ahead of its database', async () => {
    const { own, upload, restarted, untilInMemory, expectTruth } = world
    const saved = await saveTables(own.database)
    const before = new Map(world.stored)
    await upload(['t1', 'lost'])
    await own.vectorCache.write(true)
    const ahead = await onlyFile()
    const kept = await readFile(ahead)
    await saved.restore()
    world.stored = before
    await upload(['t1', 'other'])
    // The revision is that of the file now, with other contents.
    await writeFile(ahead, kept)
    const { sent } = messages()
    const second = restarted()
    await untilInMemory(second)
    await expectTruth(second)
    expect(sent('load')).toBeGreaterThan(0)
  })

  it.skipIf(isOnCitus())('are not written after a restore that nobody has noticed', async () => {
    const { own, upload, restarted, untilInMemory, expectTruth } = world
    const saved = await saveTables(own.database)
    const before = new Map(world.stored)
    const half = [...world.stored.keys()].slice(0, 150)
    await upload(half)
    await own.database.maintenance.db.execute(sql.raw(`truncate ${saved.tables.join()} cascade`))
    await saved.restore()
    world.stored = before
    // Memory is at the same revision, with other contents.
    await upload(half)
    await own.vectorCache.write(true)
    const second = restarted()
    await untilInMemory(second)
    await expectTruth(second)
  })

  it('come from the database if those of the file have other dimensions', async () => {
    const { own, request, upload, restarted, untilInMemory, expectTruth } = world
    await request(own, 'POST', `${path}/delete`, { text_ids: [...world.stored.keys()] })
    world.stored.clear()
    await request(own, 'PUT', '/v1/llm-services/ann/larger', modelOf(2 * dimensions))
    const named = { instance_owner: 'ann', instance_handle: 'larger' }
    await request(own, 'PUT', '/v1/projects/ann/texts', named)
    await upload(
      Array.from({ length: 40 }, (_, at) => `t${at}`),
      own,
      2 * dimensions,
    )
    const { sent } = messages()
    const second = restarted()
    await untilInMemory(second, 2 * dimensions)
    await expectTruth(second, 2 * dimensions)
    expect(sent('load')).toBe(1)
  })

  it('do not come from a file that a change has made old while it was written', async () => {
    const { own, upload, restarted, untilInMemory, expectTruth } = world
    await upload(['late'])
    const { writeFile } = CacheThread.prototype
    vi.spyOn(CacheThread.prototype, 'writeFile').mockImplementation(async function (
      this: CacheThread,
      message,
    ) {
      const written = await writeFile.call(this, message)
      await upload(Array.from({ length: 150 }, (_, at) => `t${at}`))
      return written
    })
    await own.vectorCache.write(true)
    const next = restarted()
    await untilInMemory(next)
    await expectTruth(next)
  })

  it('are not kept of a project that is gone', async () => {
    const { own, request, files } = world
    await request(own, 'DELETE', '/v1/projects/ann/texts')
    await own.vectorCache.clean()
    expect(await files()).toEqual([])
    const unfinished = join(world.folder, '7-1.unfinished')
    await writeFile(unfinished, '')
    await utimes(unfinished, 0, 0)
    await own.vectorCache.clean()
    expect(await files()).toEqual([])
  })

  it('lie in a file that only its owner may read', async () => {
    expect((await stat(await onlyFile())).mode & 0o777).toBe(0o600)
    expect((await stat(world.folder)).mode & 0o777).toBe(0o700)
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
