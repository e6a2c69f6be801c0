import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { Requester } from '../../src/concurrency/limiter.ts'
import { PostgresPool } from '../../src/db/postgres/pool.ts'
import { placeOf } from '../support/servers/postgres-place.ts'
import { databaseUrl } from '../support/servers/site.ts'
import { TcpProxy } from '../support/servers/tcp-proxy.ts'

const target = placeOf(databaseUrl ?? 'postgres://not.given')
const limits = { connections: 2, queueTimeoutMs: 30_000, statementMs: 120_000 }

function openPool({
  place = target,
  requester,
  statementMs = limits.statementMs,
}: {
  readonly place?: typeof target
  readonly requester?: () => Requester | undefined
  readonly statementMs?: number
} = {}): PostgresPool {
  const pool = new PostgresPool(place, { ...limits, statementMs }, requester)
  onTestFinished(() => pool.close())
  return pool
}

const numbers = (pool: PostgresPool, from: number) =>
  pool.db.execute(sql`select ${from}::int + i as n from generate_series(0, 9) as i`)

/** Whatever is asked next gets its own rows, all of them, a thousand times. */
async function expectUndisturbed(pool: PostgresPool): Promise<void> {
  for (let from = 0; from < 1_000; from += 1) {
    const rows = await numbers(pool, from)
    expect([...rows]).toEqual(Array.from({ length: 10 }, (_, i) => ({ n: from + i })))
  }
}

/** Somebody else's connection, and how many statements with this text have been at work for a while. */
function lookOn(text: string) {
  const admin = postgres({ ...target, max: 1, onnotice: () => {} })
  onTestFinished(() => admin.end())
  const atWork = async () => {
    const [row] = await admin`select count(*)::int as n from pg_stat_activity
      where query like ${`%${text}%`} and state = 'active' and pid <> pg_backend_pid()
      and query_start < clock_timestamp() - interval '100 ms'`
    return row?.['n']
  }
  return { admin, atWork }
}

const failsAfterRows = sql`select repeat('x', 1000), 1 / (500 - i) from generate_series(1, 1000) as i`

/** A result of many megabytes. */
const large = sql`select repeat('x', 100000) from generate_series(1, 400)`

/** ReadyForQuery, but for its last byte: whoever has got it all has got the whole answer. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5])

/** How many of these bytes pass, of all that came since the statement was sent. */
const silences: Record<string, (bytes: Buffer, passed: number) => number> = {
  'after its first bytes': () => 9,
  'in the middle': ({ length }, passed) => (passed > 1_000_000 ? 0 : length),
  'before its last byte': (bytes) =>
    bytes.subarray(-6, -1).equals(readyForQuery) ? bytes.length - 1 : bytes.length,
}

describe.skipIf(inject('engine') !== 'postgres')('an answer that breaks off in the middle', () => {
  it('by an error, outside a transaction', async () => {
    const pool = openPool()
    for (let time = 0; time < 3; time += 1) {
      await expect(pool.db.execute(failsAfterRows)).rejects.toMatchObject({
        cause: { code: '22012' },
      })
    }
    await expectUndisturbed(pool)
  })

  it('by an error, in a transaction', async () => {
    const pool = openPool()
    const failing = pool.transaction(({ db }) => db.execute(failsAfterRows))
    await expect(failing).rejects.toMatchObject({ cause: { code: '22012' } })
    await expectUndisturbed(pool)
  })

  it('by an error that the work ignores: nothing is committed', async () => {
    const pool = openPool()
    const ignoring = pool.transaction(async ({ db }) => {
      await db.execute(failsAfterRows).catch(() => {})
      return db.execute(sql`select 1`)
    })
    await expect(ignoring).rejects.toMatchObject({ cause: { code: '22012' } })
    await expectUndisturbed(pool)
  })

  it('by pg_terminate_backend', async () => {
    const pool = openPool()
    const name = 'ends in the middle of its answer'
    const { admin, atWork } = lookOn(name)
    const lost = pool.db.execute(
      sql.raw(`select '${name}', repeat('x', 1000), pg_sleep(0.01) from generate_series(1, 6000)`),
    )
    const failure = expect(lost).rejects.toThrow()
    await expect.poll(atWork).toBe(1)
    await admin`select pg_terminate_backend(pid) from pg_stat_activity
      where query like ${`%${name}%`} and pid <> pg_backend_pid()`
    await failure
    await expectUndisturbed(pool)
  })

  it.each(Object.entries(silences))('by silence %s, and is given up', async (_, passing) => {
    let isArmed = false
    let passed = 0
    const proxy = await TcpProxy.to(target, () => ({
      requests: () => 'pass',
      answers: (bytes) => {
        if (!isArmed) return bytes.length
        passed += bytes.length
        return passing(bytes, passed)
      },
      closed: () => {},
    }))
    onTestFinished(() => proxy.close())
    const place = { ...target, host: '127.0.0.1', port: proxy.port }
    const pool = openPool({ place, statementMs: 4_000 })
    await pool.db.execute(large)
    isArmed = true
    await expect(pool.db.execute(large)).rejects.toMatchObject({ cause: { code: 'ETIMEDOUT' } })
    isArmed = false
    await expectUndisturbed(pool)
  })

  it('by its reader, who leaves: the statement ends, and the place is free', async () => {
    const leaves = new AbortController()
    const reader: Requester = { name: 'reader', signal: leaves.signal }
    let requester: Requester | undefined = reader
    const pool = openPool({ requester: () => requester })
    const name = 'nobody waits for this'
    const { atWork } = lookOn(name)
    const left = [
      pool.db.execute(sql.raw(`select '${name}', pg_sleep(60)`)),
      pool.transaction(({ db }) => db.execute(sql.raw(`select '${name}', pg_sleep(61)`))),
      // One of them has the place of a requester; the others wait for their turn.
      pool.db.execute(sql`select 'never sent'`),
    ].map((work) => expect(work).rejects.toThrow())
    await expect.poll(atWork).toBe(1)
    leaves.abort()
    await Promise.all(left)
    requester = undefined
    await expectUndisturbed(pool)
    const [found] = await pool.db
      .select({ running: sql<string>`count(*)` })
      .from(sql`pg_stat_activity`)
      .where(sql`query like ${`%${name}%`} and state = 'active' and pid <> pg_backend_pid()`)
    expect(found).toEqual({ running: '0' })
    expect(pool.load.running).toBe(0)
  })
})
