import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { oneRow } from '../../src/db/columns.ts'
import type { Database } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/open.ts'
import { openMigratedCopy } from '../support/servers/own-database.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const unavailable = { cause: { kind: 'unavailable' } }

describe.skipIf(postgresOfRun() !== undefined)('a life of the embedded engine', () => {
  let folder: string
  let database: Database
  let lives = 0
  const events: string[] = []
  const track = (worker: Worker) => {
    lives += 1
    const number = lives
    events.push(`${number} starts`)
    worker.once('exit', () => events.push(`${number} has ended`))
  }

  beforeAll(async () => {
    process.on('worker', track)
    const copy = await openMigratedCopy({ deadlineMs: 2_000 })
    folder = copy.folder
    database = copy.database
  })

  afterAll(async () => {
    await database.close()
    process.off('worker', track)
    await rm(folder, { recursive: true })
  })

  beforeEach(() => {
    events.length = 0
  })

  const overrun = () =>
    expect(
      database.short.db.execute(sql`select count(*) from generate_series(1, 1000000000)`),
    ).rejects.toMatchObject(unavailable)
  const stackDepth = async () => {
    const [row] = await database.short.db
      .select({ depth: sql<string>`current_setting('max_stack_depth')` })
      .from(oneRow)
    return row?.depth
  }

  it('begins when the one before has ended, and has its settings', async () => {
    const first = lives
    await Promise.all([overrun(), stackDepth(), stackDepth()])
    expect(await stackDepth()).toBe('100kB')
    expect(events).toEqual([`${first} has ended`, `${first + 1} starts`])
  })

  it('is tried again with the next request when it does not begin', async () => {
    const first = lives
    await overrun()
    process.once('worker', (worker) => void worker.terminate())
    await expect(stackDepth()).rejects.toMatchObject(unavailable)
    expect(await stackDepth()).toBe('100kB')
    const second = [`${first} has ended`, `${first + 1} starts`]
    expect(events).toEqual([...second, `${first + 1} has ended`, `${first + 2} starts`])
  })

  it('is the last one when the engine is closed while it begins', async () => {
    const first = lives
    await overrun()
    const waiting = [stackDepth(), stackDepth(), stackDepth()]
    const answers = Promise.allSettled(waiting)
    await once(process, 'worker')
    await database.close()
    const life = [`${first} has ended`, `${first + 1} starts`, `${first + 1} has ended`]
    expect(events).toEqual(life)
    for (const answer of await answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject(unavailable)
    }
    expect(events).toEqual(life)
    database = await openEmbedded(join(folder, 'data'), {
      durability: 'relaxed',
      deadlineMs: 2_000,
    })
    expect(await stackDepth()).toBe('100kB')
  })
})
