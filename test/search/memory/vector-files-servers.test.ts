import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { vectorFiles } from '../../../src/db/schema.ts'
import { HeldProjects } from '../../../src/search/held/held-projects.ts'
import { CacheThread } from '../../../src/search/memory/cache-thread.ts'
import { VectorFiles } from '../../../src/search/memory/files/vector-files.ts'
import { recordedLog } from '../../support/log.ts'
import { newFolder } from '../../support/servers/site.ts'
import {
  messages,
  path,
  startWithVectorFiles,
  type WithVectorFiles,
} from '../../support/servers/vector-files.ts'
import { waitUntil } from '../../support/wait.ts'

const dimensions = 16
const ids = Array.from({ length: 300 }, (_, at) => `t${at}`)
let world: WithVectorFiles

/** The next file is read only after a while. */
function readSlowly(): void {
  const { readFile } = CacheThread.prototype
  vi.spyOn(CacheThread.prototype, 'readFile').mockImplementationOnce(async function slowly(
    this: CacheThread,
    message,
  ) {
    await sleep(300)
    return readFile.call(this, message)
  })
}

/** One whose lists each server makes by chance. */
async function withLists(): Promise<WithVectorFiles> {
  await world.own.close()
  world = await startWithVectorFiles(64, 5_000)
  return world
}

const untilBegun = (service: ReturnType<WithVectorFiles['restarted']>) =>
  waitUntil(async () => service.vectorCache.usage().held.length > 0)

describe('a file of vectors', () => {
  beforeEach(async () => {
    world = await startWithVectorFiles(dimensions, 5_000_000)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await world.own.close()
  })

  it('is waited for by searches, which the database would answer as slowly', async () => {
    const { own, upload, restarted, untilInMemory, isInMemory } = world
    await upload(ids)
    await untilInMemory(own)
    await own.vectorCache.write(true)
    readSlowly()
    const second = restarted()
    expect(await isInMemory(second)).toBe(true)
  })

  it('is written anew after a change that came while it was read', async () => {
    const { own, upload, restarted, untilInMemory, expectTruth, files } = world
    await upload(ids)
    await untilInMemory(own)
    await own.vectorCache.write(true)
    readSlowly()
    const second = restarted()
    await untilBegun(second)
    await upload(['new'], second)
    await untilInMemory(second)
    const before = await files()
    await second.vectorCache.write(true)
    expect(await files()).not.toEqual(before)
    await expectTruth(second)
  })

  it('is written by each of two servers with folders of their own', async () => {
    const { upload, restarted, untilInMemory, expectTruth, files } = world
    await upload(ids)
    const folder = join(await newFolder(), 'vectors')
    for (const service of [restarted(), restarted(folder)]) {
      await untilInMemory(service)
      await service.vectorCache.write(true)
    }
    expect(await files()).toHaveLength(1)
    expect(await files(folder)).toHaveLength(1)
    const { sent } = messages()
    for (const service of [restarted(), restarted(folder)]) {
      await untilInMemory(service)
      await expectTruth(service)
    }
    expect(sent('load')).toBe(0)
  })

  it('is kept if two servers have written it to one folder at the same time', async () => {
    const { upload, restarted, untilInMemory, expectTruth, files } = await withLists()
    await upload(ids)
    const servers = [restarted(), restarted()]
    for (const service of servers) await untilInMemory(service)
    const { writeFile } = CacheThread.prototype
    const written: ReturnType<typeof writeFile>[] = []
    vi.spyOn(CacheThread.prototype, 'writeFile').mockImplementation(async function together(
      this: CacheThread,
      message,
    ) {
      const own = writeFile.call(this, message)
      written.push(own)
      await waitUntil(() => written.length === servers.length)
      await Promise.all(written)
      return own
    })
    await Promise.all(servers.map(({ vectorCache }) => vectorCache.write(true)))
    expect(await files()).toHaveLength(1)
    const { sent } = messages()
    const next = restarted()
    await untilInMemory(next)
    await expectTruth(next)
    expect(sent('load')).toBe(0)
  })

  it('is written once at a time', async () => {
    const { own, upload, untilInMemory, files } = world
    await upload(ids)
    await untilInMemory(own)
    const { sent } = messages()
    await Promise.all([own.vectorCache.write(true), own.vectorCache.write(true)])
    expect(sent('write file')).toBe(1)
    expect(await files()).toHaveLength(1)
  })

  it('is not removed by a server that looked for unused ones before', async () => {
    const { own, upload, restarted, untilInMemory, files } = world
    const second = restarted()
    await upload(ids, second)
    await untilInMemory(second)
    const { dropUnused } = HeldProjects.prototype
    vi.spyOn(HeldProjects.prototype, 'dropUnused').mockImplementation(async function lately(
      this: HeldProjects<never>,
      ...given
    ) {
      const used = await dropUnused.apply(this, given)
      await second.vectorCache.write(true)
      return used
    })
    await own.vectorCache.clean()
    expect(await files()).toHaveLength(1)
  })

  it('is not written with many places of deleted vectors, for which the next start has no use', async () => {
    const { own, request, upload, restarted, untilInMemory, files } = world
    await upload(ids)
    await untilInMemory(own)
    await request(own, 'POST', `${path}/delete`, { text_ids: ids.slice(100) })
    await untilInMemory(own)
    await own.vectorCache.write(true)
    expect(await files()).toEqual([])
    const second = restarted()
    await untilInMemory(second)
    await second.vectorCache.write(true)
    expect(await files()).toHaveLength(1)
  })

  it('is told of once if its folder cannot be made', async () => {
    const { upload, restarted, untilInMemory } = world
    await upload(ids)
    const file = join(await newFolder(), 'file')
    await writeFile(file, '')
    const { log, lines } = recordedLog()
    const service = restarted(join(file, 'vectors'), log)
    await untilInMemory(service)
    for (let time = 0; time < 2; time += 1) await service.vectorCache.write(true)
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({ msg: 'writing files of vectors' }),
    ])
  })

  it('is proved no more if a failover comes at that moment', async () => {
    const { own, upload, untilInMemory, files } = world
    await upload(ids)
    await untilInMemory(own)
    const before = own.database.history()
    const history = vi.spyOn(own.database, 'history')
    history.mockReturnValueOnce(before).mockReturnValue(before + 1)
    await own.vectorCache.write(true)
    expect(await files()).toEqual([])
    expect(await own.database.search.db.select().from(vectorFiles)).toEqual([])
  })
})

it('finds all vectors that were dropped and read again while their file was looked for', async () => {
  const { own, upload, untilInMemory, expectTruth } = await startWithVectorFiles(16_000, 5_000_000)
  // They are read in three groups.
  for (let from = 0; from < 40; from += 10) await upload(ids.slice(from, from + 10))
  await untilInMemory(own)
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const { find } = VectorFiles.prototype
  const looked = vi.spyOn(VectorFiles.prototype, 'find')
  looked.mockImplementationOnce(async function late(this: VectorFiles, collectionId) {
    await gate
    return find.call(this, collectionId)
  })
  const { postMessage } = Worker.prototype
  const { told } = messages()
  told.mockImplementation(function tell(this: Worker, message, ...more) {
    postMessage.call(this, message, ...more)
    if (message?.request?.do === 'load') goOn()
  })
  const dropped = () => own.vectorCache.forget(own.vectorCache.usage().held[0]?.collectionId ?? 0)
  dropped()
  await expectTruth(own, 16_000)
  await waitUntil(async () => looked.mock.calls.length === 1)
  dropped()
  await untilInMemory(own)
  await expectTruth(own, 16_000)
  vi.restoreAllMocks()
  await own.close()
})
