import { getTableName, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneRow } from '../../src/db/columns.ts'
import type { Database } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/open.ts'
import { movedTables, moveRows, refuseFilled, unmovedTables } from '../../src/db/move.ts'
import { prepareDatabase } from '../../src/db/prepare.ts'
import { ownDatabase } from '../support/servers/own-database.ts'

const nothing = async () => {}
const filled = expect.stringMatching(/^the database is not empty: its table "\w+" has rows/)
let source: Awaited<ReturnType<typeof ownDatabase>>
let from: Database
let into: Database

beforeAll(async () => {
  source = await ownDatabase()
  from = source.database
  into = await openEmbedded(undefined)
  await prepareDatabase(from, nothing)
  await prepareDatabase(into, nothing)
})

afterAll(async () => {
  await Promise.all([from.close(), into.close()])
  await source.drop()
})

const run = ({ maintenance: { db } }: Database, text: string) => db.execute(sql.raw(text))
const move = (shown: number[]) =>
  from.maintenance.transaction((reading) =>
    into.maintenance.transaction((writing) =>
      moveRows(reading, writing, 'embedded', (done) => shown.push(done)),
    ),
  )

/** Of all rows of a table, bit by bit, in an order that both engines have. */
async function digest({ maintenance: { db } }: Database, table: string): Promise<unknown> {
  const vector = table === 'embeddings' ? ` || vector_send(vector)::text` : ''
  const text = `md5(t::text${vector})`
  const [row] = await db
    .select({ all: sql.raw(`md5(string_agg(${text}, ',' order by ${text} collate "C"))`) })
    .from(sql.raw(`${table} as t`))
  return row?.all
}

describe('a copy out of the database', () => {
  it('has all bytes, and the statements behind it are answered', async () => {
    await from.maintenance.transaction(async ({ db, copyOut }) => {
      // Of many lengths: where one ends between two packets depends on them.
      for (let rows = 1; rows < 400; rows += 19) {
        const bytes = await copyOut(`select repeat('x', 9973) from generate_series(1, ${rows})`)
        expect(bytes.length).toBe(19 + rows * (2 + 4 + 9973) + 2)
        expect(await db.select({ one: sql`1` }).from(oneRow)).toEqual([{ one: 1 }])
      }
    })
  })

  it('fails as its query does, and spoils nothing', async () => {
    const dividing = from.maintenance.transaction(({ copyOut }) =>
      copyOut('select 1 / (50000 - n) from generate_series(1, 100000) n'),
    )
    await expect(dividing).rejects.toMatchObject({ code: '22012' })
    expect(await from.maintenance.db.select({ one: sql`1` }).from(oneRow)).toEqual([{ one: 1 }])
  })
})

describe('a move', () => {
  it('knows every table', async () => {
    const rows = await from.maintenance.db
      .select({ name: sql<string>`tablename` })
      .from(sql`pg_tables`)
      .where(sql`schemaname = 'public' and tablename <> 'distributed_commits'`)
    const known = [...movedTables, ...unmovedTables].map(getTableName)
    expect(rows.map(({ name }) => name).sort()).toEqual(known.sort())
  })

  it('takes no row of anybody for one of the migrations', async () => {
    await refuseFilled(into.short.db)
    const changes = [
      `insert into users (user_handle) values ('somebody')`,
      `update definitions set description = 'mine' where definition_handle = 'provider-a-large'`,
      `insert into collections default values`,
    ]
    for (const change of changes) {
      const tried = into.maintenance.transaction(async ({ db }) => {
        await db.execute(sql.raw(change))
        await refuseFilled(db)
      })
      await expect(tried).rejects.toMatchObject({ message: filled })
    }
    await refuseFilled(into.short.db)
  })

  it('copies in pieces, all rows and all bits, and begins anew where it was broken off', async () => {
    await run(
      from,
      `insert into users (user_handle) select 'user-' || n from generate_series(1, 6000) n`,
    )
    await run(
      from,
      `insert into collections (vectors, dimensions, search_index, revision)
      select 4000, 3, 'bit', 7 from generate_series(1, 3)`,
    )
    await run(
      from,
      `insert into embeddings (collection_id, vector_dim, text_id, vector, text, metadata)
      select collection_id, 3, 'ü' || n || repeat('''\\', n % 3), ('[-0,1e-38,' || sin(n)::real || ']')::vector,
        case when n % 5 = 0 then repeat(n::text, 1000) end, case when n % 2 = 0 then '{"a": null}'::jsonb end
      from collections, generate_series(1, 4000) n`,
    )
    await run(from, `delete from users where user_handle = 'user-6000'`)

    const brokenOff = from.maintenance.transaction((reading) =>
      into.maintenance.transaction(async (writing) => {
        await moveRows(reading, writing, 'embedded', () => {})
        throw new Error('broken off')
      }),
    )
    await expect(brokenOff).rejects.toThrow('broken off')
    await refuseFilled(into.short.db)

    const shown: number[] = []
    expect(await move(shown)).toEqual({ users: 5_999, projects: 0, embeddings: 12_000 })
    expect(shown.length).toBeGreaterThan(3)
    expect(shown.at(-1)).toBe(12_000)
    for (const table of movedTables.map(getTableName)) {
      // An index of searches is none of the other database's.
      if (table === 'collections') await run(from, 'update collections set search_index = null')
      expect(await digest(into, table), table).toEqual(await digest(from, table))
    }
    await run(into, `insert into users (user_handle) values ('next')`)
    const [next] = await into.maintenance.db
      .select({ id: sql`max(user_id)`.mapWith(Number) })
      .from(sql`users`)
    expect(next?.id, 'behind an id that was given once').toBe(6_002)
    await expect(move([])).rejects.toMatchObject({ message: filled })
  })
})
