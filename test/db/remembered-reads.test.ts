import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Requester } from '../../src/concurrency/limiter.ts'
import { cancelled } from '../../src/errors.ts'
import { ownDatabase } from '../support/servers/own-database.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

let own: Awaited<ReturnType<typeof ownDatabase>>

beforeAll(async () => {
  own = await ownDatabase()
  await execute('create table numbers (name text, number integer)')
})

afterAll(async () => {
  await own.database.close()
  await own.drop()
})

const execute = (text: string) => own.database.short.db.execute(sql.raw(text))

const asker = (name: string, signal = new AbortController().signal): Requester => ({ name, signal })
const by = <T>(requester: Requester, work: () => T) => own.database.onBehalfOf(requester, work)

/** A read that counts how often it is made. */
function countedRead(before = async () => {}) {
  const reads = { made: 0 }
  const read = own.database.remembering(async ({ name }: { name: string }) => {
    reads.made += 1
    await before()
    const rows = await execute(`select number from numbers where name = '${name}'`)
    return JSON.stringify(rows)
  })
  return { reads, read }
}

describe('a read that may be remembered', () => {
  it('tells what was written before it, however many read meanwhile', async () => {
    await execute(`insert into numbers values ('written', 0)`)
    const { read } = countedRead()
    const alice = asker('alice')
    for (let number = 1; number <= 30; number += 1) {
      const earlier = by(alice, () => read({ name: 'written' }))
      await execute(`update numbers set number = ${number} where name = 'written'`)
      const later = await Promise.all(
        [1, 2, 3].map(() => by(alice, () => read({ name: 'written' }))),
      )
      await earlier
      for (const rows of later) expect(rows).toMatch(new RegExp(`\\b${number}\\b`))
    }
  })
})

describe.skipIf(postgresOfRun() === undefined)('reads that come together on PostgreSQL', () => {
  it('share a statement if one requester asks the same', async () => {
    const { reads, read } = countedRead()
    const [alice, bob] = [asker('alice'), asker('bob')]
    const all = [alice, alice, alice].map((one) => by(one, () => read({ name: 'a' })))
    await Promise.all(all)
    expect(reads.made).toBe(1)
    await Promise.all([alice, bob].map((one) => by(one, () => read({ name: 'a' }))))
    expect(reads.made).toBe(3)
    await Promise.all(['a', 'b'].map((name) => by(alice, () => read({ name }))))
    expect(reads.made).toBe(5)
  })

  it('do not share one that was sent before', async () => {
    let sent = () => {}
    const isSent = new Promise<void>((resolve) => {
      sent = resolve
    })
    const { reads, read } = countedRead(async () => sent())
    const alice = asker('alice')
    const first = by(alice, () => read({ name: 'a' }))
    await isSent
    await Promise.all([first, by(alice, () => read({ name: 'a' }))])
    expect(reads.made).toBe(2)
  })

  it('are made again if the first requester has hung up, and share an error otherwise', async () => {
    const gone = new AbortController()
    const { reads, read } = countedRead(async () => {
      if (gone.signal.aborted && reads.made === 1) throw cancelled()
    })
    const one = by(asker('alice', gone.signal), () => read({ name: 'a' }))
    const other = by(asker('alice'), () => read({ name: 'a' }))
    gone.abort()
    await expect(one).rejects.toThrow('closed the connection')
    expect(await other).toContain('[')
    expect(reads.made).toBe(2)

    const broken = countedRead(() => Promise.reject(new Error('broken')))
    const alice = asker('alice')
    const both = [alice, alice].map((each) => by(each, () => broken.read({ name: 'a' })))
    for (const { status } of await Promise.allSettled(both)) expect(status).toBe('rejected')
    expect(broken.reads.made).toBe(1)
  })
})
