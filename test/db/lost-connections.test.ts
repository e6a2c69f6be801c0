import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'drizzle-orm'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { Transaction } from '../../src/db/database.ts'
import { explainDatabaseError } from '../../src/db/errors.ts'
import { PostgresPool } from '../../src/db/postgres/pool.ts'
import { freePort } from '../shared/ports.ts'
import { unique } from '../support/factories.ts'
import { occupyPort } from '../support/servers/ports.ts'
import { placeOf } from '../support/servers/postgres-place.ts'
import { databaseUrl } from '../support/servers/site.ts'
import { TcpProxy, type Verdict } from '../support/servers/tcp-proxy.ts'

const target = placeOf(databaseUrl ?? 'postgres://not.given')
const size = { connections: 1, queueTimeoutMs: 30_000, statementMs: 1_000 }

/** A pool of one connection to a port behind which the database is, or nothing. */
function poolAt(port: number, host = '127.0.0.1'): PostgresPool {
  const pool = new PostgresPool({ ...target, host, port }, size)
  onTestFinished(() => pool.close())
  return pool
}

/** A pool whose connection is cut, once, at the bytes that are asked for. */
async function poolCutAt(
  isCut: (bytes: Buffer) => boolean,
  verdict: Verdict,
): Promise<PostgresPool> {
  let cuts = 0
  const proxy = await TcpProxy.to(target, () => (bytes) => {
    if (cuts > 0 || !isCut(bytes)) return 'pass'
    cuts += 1
    return verdict
  })
  onTestFinished(() => proxy.close())
  return poolAt(proxy.port)
}

const copyDone = Buffer.from([0x63, 0, 0, 0, 4])
const endsCopy = (bytes: Buffer) => bytes.includes(copyDone)
const commits = (bytes: Buffer) => bytes.includes('commit\0')
const copyRow = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0\xff\xff', 'latin1')

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
}

const makeTable = sql`create temporary table if not exists lost (n integer) on commit delete rows`
const one = ({ db }: Transaction) => db.execute(sql`select 1`)

/** @returns the rows of an upload that is lost */
async function weaklyHeld(pool: PostgresPool): Promise<WeakRef<Buffer>> {
  const rows = Buffer.from(copyRow)
  const upload = async (tx: Transaction) => {
    await tx.db.execute(makeTable)
    await tx.copyIn('lost (n)', rows)
  }
  // Not by `expect`, which keeps the error, and that its call sites, for as long as the test runs.
  expect(
    await pool.transaction(upload).then(
      () => 'stored',
      () => 'lost',
    ),
  ).toBe('lost')
  return new WeakRef(rows)
}

describe.skipIf(inject('engine') !== 'postgres')('a lost connection', () => {
  for (const verdict of ['drop', 'reset'] as const) {
    it(`is an error, and nothing else (${verdict})`, async () => {
      const pool = await poolCutAt((bytes) => bytes.includes('nobody hears this'), verdict)
      const unheard = pool.db.execute(sql`select 'nobody hears this'`)
      // It is sent as soon as the first has failed.
      const next = pool.db.execute(sql`select 1`)
      await expect(unheard).rejects.toMatchObject({ cause: { code: expect.any(String) } })
      expect(await next).toHaveLength(1)
    })
  }

  for (const verdict of ['drop', 'reset', 'drop the answer'] as const) {
    it(`that is found dead when it is used again is replaced (${verdict})`, async () => {
      let dead = false
      const proxy = await TcpProxy.to(target, () => {
        const isOld = !dead
        return () => (isOld && dead ? verdict : 'pass')
      })
      onTestFinished(() => proxy.close())
      const pool = poolAt(proxy.port)
      for (const use of [() => pool.db.execute(sql`select 1`), () => pool.transaction(one)]) {
        dead = false
        await pool.transaction(one)
        dead = true
        expect(await use()).toHaveLength(1)
      }
    })
  }

  it('that is found dead by a single write is an error: it may have been made', async () => {
    const pool = await poolCutAt((bytes) => bytes.includes('create table'), 'drop the answer')
    const name = unique('written').replaceAll('-', '_')
    await pool.transaction(one)
    const write = pool.db.execute(sql.raw(`create table ${name} ()`))
    await expect(write).rejects.toMatchObject({ cause: { code: 'CONNECTION_CLOSED' } })
    await pool.db.execute(sql.raw(`drop table if exists ${name}`))
  })

  for (const verdict of ['drop', 'drop the answer'] as const) {
    it(`ends its transaction for good (${verdict})`, async () => {
      const pool = await poolCutAt(endsCopy, verdict)
      let awoke = false
      const lost = pool.transaction(async (tx) => {
        await tx.db.execute(makeTable)
        await tx.copyIn('lost (n)', copyRow)
        awoke = true
        // On the new connection, this would run in the middle of the next transaction.
        await tx.db.execute(sql`select * from no_such_table`)
      })
      await expect(lost).rejects.toThrow()
      for (let round = 0; round < 3; round += 1) {
        const next = pool.transaction(async (tx) => {
          await one(tx)
          await sleep(20)
          await one(tx)
          return 'undisturbed'
        })
        expect(await next).toBe('undisturbed')
      }
      expect(awoke).toBe(false)
    })

    it(`at the commit is an error, and the next transaction is fine (${verdict})`, async () => {
      const pool = await poolCutAt(commits, verdict)
      await expect(pool.transaction(one)).rejects.toMatchObject({ code: expect.any(String) })
      expect(await pool.transaction(async () => 'undisturbed')).toBe('undisturbed')
    })
  }

  it('is not what a COPY waits for that the database refuses', async () => {
    const pool = poolAt(target.port, target.host)
    const refused = pool.transaction(async (tx) => {
      await tx.db.execute(makeTable)
      await tx.copyIn(
        'lost (n)',
        Buffer.concat([copyRow.subarray(0, 19), Buffer.alloc(500_000, 1)]),
      )
    })
    // bad_copy_file_format
    await expect(refused).rejects.toMatchObject({ code: '22P04' })
    expect(await pool.transaction(async () => 'undisturbed')).toBe('undisturbed')
  })

  it('leaves nothing of its transaction in memory', async () => {
    const pool = await poolCutAt(endsCopy, 'drop')
    const held = await weaklyHeld(pool)
    for (let round = 0; round < 3; round += 1) await pool.transaction(one)
    // What the engine has looked at weakly stays until the next task.
    await sleep(10)
    collectGarbage()
    expect(held.deref()).toBe(undefined)
  })

  it('may still be ending when the next one is made, on a server that has room for no other', async () => {
    const user = unique('cramped').replaceAll('-', '_')
    const others = poolAt(target.port, target.host)
    await others.db.execute(sql.raw(`create role ${user} login connection limit 1`))
    const [first, second] = [1, 2].map(() => {
      const pool = new PostgresPool({ ...target, user }, size)
      onTestFinished(() => pool.close())
      return pool
    })
    await first?.db.execute(sql`select 1`)
    const waiting = second?.transaction(one)
    await sleep(50)
    await first?.close()
    expect(await waiting).toHaveLength(1)
    await second?.close()
    await others.db.execute(sql.raw(`drop role ${user}`))
  })

  it('is made again soon, however long the database was away', async () => {
    const port = await freePort()
    const pool = poolAt(port)
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await expect(pool.transaction(one)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    }
  })

  it('to a server that has taken its Unix socket away is the database being unavailable', async () => {
    const pool = poolAt(target.port, '/no/such/folder')
    const refused = await pool.db.execute(sql`select 1`).catch((error: unknown) => error)
    expect(explainDatabaseError(refused)).toMatchObject({ kind: 'unavailable' })
  })

  it('that is given up while it is being made is closed at once, at a server that says nothing', async () => {
    const open = new Set<object>()
    const silent = await occupyPort(0, (client) => {
      open.add(client)
      client.on('error', () => {}).once('close', () => open.delete(client))
      client.resume()
    })
    const leaves = new AbortController()
    const requester = { name: 'gone', signal: leaves.signal }
    const pool = new PostgresPool(
      { ...target, host: '127.0.0.1', port: silent },
      size,
      () => requester,
    )
    const waiting = pool.transaction(one)
    await expect.poll(() => open.size).toBe(1)
    leaves.abort()
    await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' })
    await expect.poll(() => open.size).toBe(0)
    await pool.close()
  })

  it('that something between takes and closes again is an error', async () => {
    const hangUp = await occupyPort(0, (client) => {
      client.on('error', () => {}).once('data', () => client.end())
    })
    await expect(poolAt(hangUp).transaction(one)).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
    })
  })
})
