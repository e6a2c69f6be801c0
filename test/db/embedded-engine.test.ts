import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/open.ts'
import { openMigratedCopy } from '../support/servers/own-database.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

describe.skipIf(postgresOfRun() !== undefined)('the embedded engine', () => {
  let folder: string
  let database: Database

  beforeAll(async () => {
    const copy = await openMigratedCopy({ deadlineMs: 3_000 })
    folder = copy.folder
    database = copy.database
    await database.short.db.execute(sql`create table kept (id integer)`)
  })

  afterAll(async () => {
    await database.close()
    await rm(folder, { recursive: true })
  })

  const insert = (id: number) =>
    database.short.transaction((tx) => tx.db.execute(sql`insert into kept values (${id})`))
  const ids = async () => {
    const rows = await database.short.db
      .select({ id: sql`id`.mapWith(Number) })
      .from(sql`kept`)
      .orderBy(sql`id`)
    return rows.map(({ id }) => id)
  }

  it('replaces a worker that overruns its deadline, and keeps what was committed', async () => {
    await insert(1)
    const endless = database.short.transaction(async (tx) => {
      await tx.db.execute(sql`insert into kept values (2)`)
      await tx.db.execute(sql`select count(*) from generate_series(1, 1000000000)`)
    })
    const waiting = insert(3)
    await expect(endless).rejects.toMatchObject({ cause: { kind: 'unavailable' } })
    await waiting
    expect(await ids()).toEqual([1, 3])
  })

  it('rolls back a transaction whose work throws', async () => {
    const before = await ids()
    const failing = database.short.transaction(async (tx) => {
      await tx.db.execute(sql`insert into kept values (4)`)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await ids()).toEqual(before)
  })

  it('does not let a statement slip into the transaction of another', async () => {
    const seen: number[][] = []
    await Promise.all([
      database.short.transaction(async (tx) => {
        await tx.db.execute(sql`insert into kept values (5)`)
        await tx.db.execute(sql`select pg_sleep(0.05)`)
        await tx.db.execute(sql`delete from kept where id = 5`)
      }),
      ids().then((found) => seen.push(found)),
    ])
    expect(seen.flat()).not.toContain(5)
  })

  it('refuses a second opening of its folder', async () => {
    const data = join(folder, 'data')
    await expect(openEmbedded(data)).rejects.toThrow(`${data} is in use by process`)
  })
})
