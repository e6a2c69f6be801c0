import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { embedding } from '../support/factories.ts'
import { Cluster } from '../support/servers/cluster.ts'
import { hasPgBouncer, PgBouncer } from '../support/servers/pgbouncer.ts'
import { node, refused, semblance, toItsEnd } from '../support/servers/program.ts'
import { createProject, request, runtimes, startServer, upload } from '../support/servers/server.ts'

let cluster: Cluster

const session = 'pool_mode = session'

async function bouncerWith(...settings: string[]): Promise<PgBouncer> {
  const bouncer = await PgBouncer.start(cluster, settings)
  onTestFinished(() => bouncer.stop())
  return bouncer
}

describe.skipIf(!hasPgBouncer)('behind PgBouncer', () => {
  beforeAll(async () => {
    cluster = await Cluster.start([])
  })
  afterAll(() => cluster?.stop())

  for (const runtime of runtimes) {
    it.skipIf(runtime.command === undefined)(
      `it works in session mode (${runtime.name})`,
      async () => {
        const bouncer = await bouncerWith(session, 'default_pool_size = 32')
        const server = await startServer(runtime, await bouncer.site())
        await createProject(server, 3)
        const items = Array.from({ length: 100 }, (_, n) => embedding(`t${n}`, [1, n, n * n]))
        expect((await upload(server, ...items)).status).toBe(201)
        const searches = items.map(({ text_id }) =>
          request(server, 'GET', `/v1/similars/ann/texts/${text_id}?count=2`),
        )
        for (const { status } of await Promise.all(searches)) expect(status).toBe(200)
        await request(server, 'DELETE', '/v1/users/ann')
      },
    )
  }

  it.each([
    ['transaction', []],
    ['transaction', ['server_round_robin = 1']],
    ['transaction', ['min_pool_size = 5', 'server_round_robin = 1']],
    ['statement', []],
  ])('it does not start in %s mode (%j)', async (mode, more) => {
    const bouncer = await bouncerWith(`pool_mode = ${mode}`, ...more)
    const message = `the connection pooler at 127.0.0.1:${bouncer.port} shares its connections between transactions; session mode is needed (pool_mode = session in PgBouncer), or PostgreSQL itself in SERVICE_DBHOST and SERVICE_DBPORT`
    const outcome = await toItsEnd(semblance(node, ['migrate'], await bouncer.site()))
    expect(outcome).toEqual(refused(message))
  })

  it.each(['transaction', 'session'])(
    'it does not start on one connection, in %s mode',
    async (mode) => {
      const bouncer = await bouncerWith(`pool_mode = ${mode}`, 'default_pool_size = 1')
      const message = `the connection pooler at 127.0.0.1:${bouncer.port} has no second connection for this service, which needs 32; raise its pool size (default_pool_size in PgBouncer, in session mode), or name PostgreSQL itself in SERVICE_DBHOST and SERVICE_DBPORT`
      const outcome = await toItsEnd(semblance(node, ['migrate'], await bouncer.site()))
      expect(outcome).toEqual(refused(message))
    },
  )

  it('it says what PgBouncer says that wants TLS', async () => {
    const file = (name: string) => `${cluster.inside}/data/${name}`
    const bouncer = await bouncerWith(
      session,
      'client_tls_sslmode = require',
      `client_tls_key_file = ${file('server.key')}`,
      `client_tls_cert_file = ${file('server.crt')}`,
      `client_tls_ca_file = ${file('server.crt')}`,
    )
    const site = await bouncer.site({ SERVICE_DBSSLMODE: 'disable' })
    const message = `PostgreSQL at 127.0.0.1:${bouncer.port} wants TLS; set SERVICE_DBSSLMODE=require or stricter`
    expect(await toItsEnd(semblance(node, ['migrate'], site))).toEqual(refused(message))
    const encrypted = await bouncer.site({ SERVICE_DBSSLMODE: 'require' })
    expect(await toItsEnd(semblance(node, ['migrate'], encrypted))).toMatchObject({ exit: 0 })
  })
})
