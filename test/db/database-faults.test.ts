import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { embedding, unique } from '../support/factories.ts'
import { watch } from '../support/secrets/watch.ts'
import { askerOf, makeProject } from '../support/servers/own-projects.ts'
import { startBeside, startOwnService } from '../support/servers/own-service.ts'
import { isOnCitus, postgresOfRun } from '../support/servers/postgres-place.ts'
import { TcpProxy } from '../support/servers/tcp-proxy.ts'

/** One connection each, so that a fault meets every one of them. */
const limits = { queueTimeoutMs: 2_000, statementMs: 1_000 }
const connections = { short: 1, search: 1, bulk: 1, maintenance: 1 }

/** The app as a user who is no superuser, over a network that can go silent. */
async function startFaulty() {
  const prepared = await startOwnService()
  const { place: settings } = prepared
  if (settings === undefined) throw new Error('only with PostgreSQL')
  const admin = postgres({ ...settings, max: 1, onnotice: () => {} })
  const user = unique('faulty').replaceAll('-', '_')
  const password = unique('password')
  await admin.unsafe(`create role ${user} login password '${password}'`)
  await admin.unsafe(`grant all on all tables in schema public to ${user}`)
  await admin.unsafe(`grant usage on schema drizzle to ${user}`)
  await admin.unsafe(`grant select on all tables in schema drizzle to ${user}`)
  let isSilent = false
  const proxy = await TcpProxy.to(settings, () => () => (isSilent ? 'swallow' : 'pass'))
  const place = { ...settings, host: '127.0.0.1', port: proxy.port, user, password }
  const database = await openPostgres(place, { connections, limits })
  watch.secrets.add(password)
  return {
    ask: askerOf(startBeside({ database })),
    admin,
    user,
    silence: (on: boolean) => {
      isSilent = on
    },
    disconnect: () => admin`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = ${user}`,
    close: async () => {
      await database.close()
      proxy.close()
      await admin.unsafe(`drop owned by ${user}`)
      await admin.unsafe(`drop role ${user}`)
      await admin.end()
      await prepared.close()
    },
  }
}

describe.skipIf(postgresOfRun() === undefined)('while the database', () => {
  let faulty: Awaited<ReturnType<typeof startFaulty>>
  beforeAll(async () => {
    faulty = await startFaulty()
    await makeProject(faulty.ask, 'ann/texts', 2)
    await expectAll([upload('first')], 201)
  })
  afterAll(() => faulty.close())
  beforeEach(async () => {
    await expectAnswer('GET', '/readyz', undefined, 200)
  })

  const embeddings = '/v1/embeddings/ann/texts'
  const upload = (text_id: string) =>
    ['POST', embeddings, { embeddings: [embedding(text_id, [1, 2])] }] as const
  const reads = [
    ['GET', '/v1/users'],
    ['GET', `${embeddings}/first`],
    ['GET', '/v1/similars/ann/texts/first'],
  ] as const
  const writes = [upload('second'), ['PUT', '/v1/users/bob', {}], ['DELETE', embeddings]] as const

  /** Loses all connections, and waits until requests find new ones. */
  async function reconnected() {
    await faulty.disconnect()
    for (const [method, path] of reads) {
      await expect.poll(() => statusOf(method, path)).toBe(200)
    }
    await expect.poll(() => statusOf('DELETE', `${embeddings}/none`)).toBe(404)
  }
  const statusOf = async (method: string, path: string) => (await faulty.ask(method, path)).status

  async function expectAnswer(method: string, path: string, body: unknown, status: number) {
    const answer = await faulty.ask(method, path, body)
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(status)
    if (status !== 503) return
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.body).toEqual({
      title: 'Service Unavailable',
      status: 503,
      detail: expect.stringMatching(/try again/),
    })
  }
  const expectAll = async (
    requests: readonly (readonly [method: string, path: string, body?: object])[],
    status: number,
  ) => {
    for (const [method, path, body] of requests) await expectAnswer(method, path, body, status)
  }

  it('takes no connections, every request is told to come again', async () => {
    const { admin, user } = faulty
    await admin.unsafe(`alter role ${user} connection limit 0`)
    await faulty.disconnect()
    await expectAll([['GET', '/readyz'], ...reads, ...writes], 503)
    await expectAnswer('GET', '/livez', undefined, 200)
    await admin.unsafe(`alter role ${user} connection limit -1`)
    await reconnected()
  })

  it('refuses the password, likewise', async () => {
    const { admin, user } = faulty
    await admin.unsafe(`alter role ${user} nologin`)
    await faulty.disconnect()
    await expectAll([...reads, ...writes], 503)
    await admin.unsafe(`alter role ${user} login`)
    await reconnected()
  })

  it('is read-only, reads are answered and writes are not', async () => {
    const { admin, user } = faulty
    await admin.unsafe(`alter role ${user} set default_transaction_read_only = on`)
    await faulty.disconnect()
    await expect.poll(() => statusOf('GET', '/v1/similars/ann/texts/first')).toBe(200)
    await expectAll(reads, 200)
    await expectAll(writes, 503)
    await admin.unsafe(`alter role ${user} reset default_transaction_read_only`)
    await reconnected()
    await expectAll([upload('after read-only')], 201)
  })

  // Citus takes no triggers on what is distributed.
  it.skipIf(isOnCitus())(
    'is full, writes are not answered and nothing of them is stored',
    async () => {
      const { admin } = faulty
      // What PostgreSQL itself says when there is no space left on the device.
      await admin.unsafe(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
      await admin.unsafe(
        'create trigger full_disk before insert on embeddings for each row execute function full_disk()',
      )
      await expectAll([upload('on a full disk')], 503)
      await expectAll(reads, 200)
      await admin.unsafe('drop function full_disk cascade')
      await expectAnswer('GET', `${embeddings}/on%20a%20full%20disk`, undefined, 404)
      await expectAll([upload('on a full disk')], 201)
    },
  )

  it('holds a lock for too long, those who wait for it are told to come again', async () => {
    const { admin } = faulty
    const held = await admin.reserve()
    await held`begin`
    await held`lock table embeddings in access exclusive mode`
    await expectAll([upload('locked'), ['GET', `${embeddings}/first`]], 503)
    await expectAnswer('GET', '/v1/users', undefined, 200)
    await held`rollback`
    held.release()
    await expectAll([upload('locked')], 201)
  })

  it('is beyond a network gone silent, requests end and later ones find new connections', async () => {
    faulty.silence(true)
    await expectAll([reads[0], upload('unheard')], 503)
    faulty.silence(false)
    await expectAll(reads, 200)
    await expectAll([upload('unheard')], 201)
  })
})
