import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { embedding } from '../support/factories.ts'
import { Cluster, certificate, hasPostgres } from '../support/servers/cluster.ts'
import { type Runtime, refused, semblance, toItsEnd, upToDate } from '../support/servers/program.ts'
import { createProject, request, runtimes, startServer, upload } from '../support/servers/server.ts'

type Env = Record<string, string>

const good = { ssl: 'on', ssl_cert_file: '', ssl_key_file: '' }
const rootCert = { SERVICE_DBSSLROOTCERT: certificate('authority') }
const mode = (value: string, more: Env = {}): Env => ({ SERVICE_DBSSLMODE: value, ...more })
const at = (host: string): Env => ({ SERVICE_DBHOST: host })
const tlsUser = { SERVICE_DBUSER: 'tls_only' }
const plainUser = { SERVICE_DBUSER: 'plain_only' }

let cluster: Cluster

describe.skipIf(!hasPostgres)('TLS to the database', () => {
  beforeAll(async () => {
    cluster = await Cluster.start([
      'hostssl all tls_only 127.0.0.1/32 trust',
      'hostnossl all plain_only 127.0.0.1/32 trust',
      'host all postgres 127.0.0.1/32 trust',
    ])
    await cluster.query('create role tls_only superuser login')
    await cluster.query('create role plain_only superuser login')
  })
  afterAll(() => cluster?.stop())
  beforeEach(() => cluster.set(good))

  const migrate = async (runtime: Runtime, env: Env) =>
    toItsEnd(semblance(runtime, ['migrate'], await cluster.site(env)))
  const refusedAt = (message: string, host = '127.0.0.1') =>
    refused(`PostgreSQL at ${host}:${cluster.port} ${message}`)

  for (const runtime of runtimes) {
    describe.skipIf(runtime.command === undefined)(`on ${runtime.name}`, () => {
      it.each([
        ['as far as the server has it', tlsUser],
        ['whoever the server is', mode('require', tlsUser)],
        ['to a server whose authority is known', mode('verify-ca', { ...tlsUser, ...rootCert })],
        [
          'to the right server',
          mode('verify-full', { ...tlsUser, ...rootCert, ...at('localhost') }),
        ],
        ['and works without', mode('disable', plainUser)],
      ])('is spoken %s', async (_, env) => {
        expect(await migrate(runtime, env)).toEqual(upToDate)
      })

      it('is spoken to a server whose authority is one of several', async () => {
        const several = join(cluster.folder, 'several.crt')
        const names = ['another-authority', 'authority']
        await writeFile(several, names.map((name) => readFileSync(certificate(name))).join('\n'))
        const env = mode('verify-ca', { ...tlsUser, SERVICE_DBSSLROOTCERT: several })
        expect(await migrate(runtime, env)).toEqual(upToDate)
      })

      it('is not spoken through a Unix socket', async () => {
        const env = mode('verify-full', { ...rootCert, ...at(cluster.folder) })
        expect(await migrate(runtime, env)).toEqual(upToDate)
      })

      it('is left out where the server has none, unless it is required', async () => {
        await cluster.set({ ssl: 'off' })
        expect(await migrate(runtime, {})).toEqual(upToDate)
        const message =
          'speaks no TLS; turn it on there (ssl = on), or set SERVICE_DBSSLMODE=disable'
        expect(await migrate(runtime, mode('require'))).toEqual(refusedAt(message))
        const strict = mode('verify-full', { ...rootCert, ...at('localhost') })
        expect(await migrate(runtime, strict)).toEqual(refusedAt(message, 'localhost'))
      })

      it('is asked for by the server', async () => {
        const message = `pg_hba.conf of PostgreSQL at 127.0.0.1:${cluster.port} has no entry that lets user 'tls_only' in from here without TLS; set SERVICE_DBSSLMODE=require or stricter, or add an entry`
        expect(await migrate(runtime, mode('disable', tlsUser))).toEqual(refused(message))
      })

      it('is not wanted by the server', async () => {
        const { stderr, ...rest } = await migrate(runtime, mode('prefer', plainUser))
        expect(rest).toEqual({ exit: 1, stdout: '' })
        expect(stderr).toMatch(/^semblance: pg_hba\.conf .* set SERVICE_DBSSLMODE=disable .*\n$/)
      })

      it('is refused to a server of another name', async () => {
        const message =
          "has a certificate for DNS:localhost, not for '127.0.0.1'; correct SERVICE_DBHOST (SERVICE_DBSSLMODE=verify-ca checks no name)"
        expect(await migrate(runtime, mode('verify-full', rootCert))).toEqual(refusedAt(message))
      })

      it('is refused to a server of an unknown authority', async () => {
        const message =
          'has a certificate of an authority that is not trusted here; name the file with the certificate of that authority in SERVICE_DBSSLROOTCERT'
        const other = { SERVICE_DBSSLROOTCERT: certificate('another-authority') }
        for (const env of [mode('verify-ca'), mode('verify-ca', other), mode('require', other)]) {
          expect(await migrate(runtime, env)).toEqual(refusedAt(message))
        }
      })

      it('is refused to a server with an expired certificate, unless nothing is checked', async () => {
        await cluster.set({ ssl_cert_file: 'expired.crt' })
        const message =
          'has a certificate that has expired; renew it (SERVICE_DBSSLMODE=require without SERVICE_DBSSLROOTCERT checks no certificate)'
        const outcome = await migrate(runtime, mode('verify-ca', rootCert))
        expect(outcome).toEqual(refusedAt(message))
        expect(await migrate(runtime, mode('require', tlsUser))).toEqual(upToDate)
      })

      it('carries large uploads and answers, and a certificate that expires is a 503', async () => {
        const env = mode('verify-full', { ...tlsUser, ...rootCert, ...at('localhost') })
        const server = await startServer(runtime, await cluster.site(env))
        await createProject(server, 1536)
        const vector = (seed: number) =>
          Array.from({ length: 1536 }, (_, index) => Math.sin(seed * index + 1))
        const items = Array.from({ length: 500 }, (_, index) =>
          embedding(`t${index}`, vector(index)),
        )
        const path = '/v1/embeddings/ann/texts'
        expect((await upload(server, ...items)).status).toBe(201)
        const list = await request(server, 'GET', `${path}?limit=200`)
        expect(list).toMatchObject({ status: 200, body: { total_count: 500 } })

        await cluster.set({ ssl_cert_file: 'expired.crt' })
        const terminate =
          "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'tls_only'"
        await cluster.query(terminate)
        const away = await request(server, 'GET', `${path}/t1`)
        expect(away).toMatchObject({ status: 503 })
        await cluster.set({ ssl_cert_file: '' })
        await expect
          .poll(async () => (await request(server, 'GET', `${path}/t1`)).status, {
            timeout: 10_000,
          })
          .toBe(200)
        await request(server, 'DELETE', '/v1/users/ann')
      })
    })
  }
})
