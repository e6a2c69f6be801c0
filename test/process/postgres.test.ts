import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { freePort } from '../shared/ports.ts'
import { embedding, unique } from '../support/factories.ts'
import { occupyPort } from '../support/servers/ports.ts'
import {
  node,
  refused,
  type Surroundings,
  semblance,
  toItsEnd,
  upToDate,
} from '../support/servers/program.ts'
import { createProject, request, startServer, upload } from '../support/servers/server.ts'
import { databaseUrl, databaseUrlOf, postgresSite } from '../support/servers/site.ts'

const url = new URL(databaseUrl ?? 'postgres://not.given')
const address = `${url.hostname}:${url.port || 5432}`

const Stored = z.object({ created_at: z.iso.datetime(), vector: z.array(z.number()) })

/** What an administrator may have set for a role, for whatever else it does. */
const peculiar = [
  "DateStyle = 'German'",
  "IntervalStyle = 'sql_standard'",
  "TimeZone = 'Pacific/Chatham'",
  'extra_float_digits = 0',
  'standard_conforming_strings = off',
  "bytea_output = 'escape'",
  "default_transaction_isolation = 'serializable'",
  'row_security = off',
  // Enough for the first statement of a session, not for the trigger below.
  "statement_timeout = '2s'",
  'client_min_messages = debug1',
  'search_path = nowhere',
  'enable_indexscan = off',
]

const migrate = ({ folder, env }: Surroundings, changed: Record<string, string> = {}) =>
  toItsEnd(semblance(node, ['migrate'], { folder, env: { ...env, ...changed } }))

describe.skipIf(databaseUrl === undefined)('on PostgreSQL', () => {
  it('lets four first starts at once succeed', async () => {
    const site = await postgresSite()
    const all = [migrate(site), migrate(site), migrate(site), migrate(site)]
    expect(await Promise.all(all)).toEqual([upToDate, upToDate, upToDate, upToDate])
  })

  it('names a database that does not exist', async () => {
    const message = `PostgreSQL at ${address} has no database 'missing'; create it or check SERVICE_DBNAME`
    const outcome = await migrate(await postgresSite(), { SERVICE_DBNAME: 'missing' })
    expect(outcome).toEqual(refused(message))
  })

  it.each(['LATIN1', 'SQL_ASCII'])('refuses a database of the encoding %s', async (encoding) => {
    const site = await postgresSite()
    const name = unique('semblance_encoding').replaceAll('-', '_')
    const server = postgres(url.href, { max: 1, onnotice: () => {} })
    await server.unsafe(
      `create database ${name} encoding '${encoding}' locale 'C' template template0`,
    )
    onTestFinished(async () => {
      await server.unsafe(`drop database ${name} with (force)`)
      await server.end()
    })
    const message = `the database '${name}' of PostgreSQL at ${address} has the encoding ${encoding}, and UTF8 is needed; create one with ENCODING 'UTF8' TEMPLATE template0 and name it in SERVICE_DBNAME`
    expect(await migrate(site, { SERVICE_DBNAME: name })).toEqual(refused(message))
  })

  it('names a user whom the server refuses, without the password', async () => {
    const env = { SERVICE_DBUSER: 'nobody-there', SERVICE_DBPASSWORD: 'my-secret' }
    const message = `PostgreSQL at ${address} refused user 'nobody-there'; check SERVICE_DBUSER and SERVICE_DBPASSWORD`
    expect(await migrate(await postgresSite(), env)).toEqual(refused(message))
  })

  it('takes the database and the secrets from files', async () => {
    const { folder, env } = await postgresSite()
    const place = `${env['SERVICE_DBHOST']}:${env['SERVICE_DBPORT']}/${env['SERVICE_DBNAME']}`
    const [user, password] = [env['SERVICE_DBUSER'], env['SERVICE_DBPASSWORD'] || 'not-needed']
    const secrets = {
      SERVICE_DATABASE_URL: `postgres://${user}:${password}@${place}?sslmode=prefer`,
      SERVICE_ADMINKEY: env['SERVICE_ADMINKEY'],
      ENCRYPTION_KEY: env['ENCRYPTION_KEY'],
      NEW_ENCRYPTION_KEY: 'another-key-of-more-than-32-characters',
    }
    for (const [name, secret] of Object.entries(secrets)) {
      await writeFile(join(folder, name), `${secret}\n`)
    }
    const files = Object.fromEntries(Object.keys(secrets).map((name) => [`${name}_FILE`, name]))
    expect(await migrate({ folder, env: files })).toEqual(upToDate)
    const rotation = semblance(node, ['rotate-encryption-key'], { folder, env: files })
    expect(await toItsEnd(rotation)).toMatchObject({ exit: 0 })
    const renewed = { ...files, ENCRYPTION_KEY_FILE: 'NEW_ENCRYPTION_KEY' }
    expect(await migrate({ folder, env: renewed })).toEqual(upToDate)
  })

  it('answers right whatever is set for its role', async () => {
    const user = unique('peculiar').replaceAll('-', '_')
    const server = postgres(url.href, { max: 1, onnotice: () => {} })
    await server.unsafe(`create role ${user} superuser login password 'my-secret'`)
    for (const setting of peculiar) await server.unsafe(`alter role ${user} set ${setting}`)
    onTestFinished(async () => {
      await server.unsafe(`drop role ${user}`)
      await server.end()
    })
    // Its database goes before its user.
    const site = await postgresSite()
    const env = { ...site.env, SERVICE_DBUSER: user, SERVICE_DBPASSWORD: 'my-secret' }
    const running = await startServer(node, { ...site, env })
    await createProject(running, 1536)
    const database = postgres(databaseUrlOf(site), { max: 1 })
    onTestFinished(() => database.end())
    await database`create function take_long() returns trigger language plpgsql
      as 'begin perform pg_sleep(2.5); return null; end'`
    await database`create trigger take_long after insert on embeddings
      for each statement execute function take_long()`
    const vectorOf = (n: number) =>
      Array.from({ length: 1536 }, (_, index) => Math.fround(Math.cos(n + index / 700)))
    const odd = { text: "it's a \\ 'text'\n", metadata: { 'k\\ey': 'C:\\x', n: 1e-7 } }
    const items = Array.from({ length: 1000 }, (_, n) =>
      embedding(`t${n}`, vectorOf(n / 1000), odd),
    )
    const path = '/v1/embeddings/ann/texts'
    expect((await upload(running, ...items)).status).toBe(201)
    const one = await request(running, 'GET', `${path}/t7`)
    expect(one).toMatchObject({ status: 200, body: odd })
    const { vector, created_at: createdAt } = Stored.parse(one.body)
    expect(vector.map(Math.fround)).toEqual(vectorOf(7 / 1000))
    expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(600_000)
    const filter = 'metadata_path=n&metadata_value=1e-7'
    const found = (results: unknown[]) => ({ status: 200, body: { results } })
    const search = '/v1/similars/ann/texts/t0'
    expect(await request(running, 'GET', `${search}?count=2`)).toMatchObject(
      found([{ id: 't1' }, { id: 't2' }]),
    )
    expect(await request(running, 'GET', `${search}?${filter}`)).toMatchObject(found([]))
    const rotated = await request(running, 'POST', '/v1/users/ann/rotate-key')
    expect(rotated.status).toBe(200)

    await server.unsafe(`alter role ${user} set default_transaction_read_only = on`)
    await server`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${user}`
    const { status } = await upload(running, embedding('late', vectorOf(1)))
    expect([201, 503]).toContain(status)
    expect((await request(running, 'GET', `${path}/t7`)).status).toBe(200)
  })

  it('tells a user who may not create the extension what to do', async () => {
    const user = unique('limited').replaceAll('-', '_')
    const server = postgres(url.href, { max: 1 })
    await server.unsafe(`create role ${user} login password 'my-secret'`)
    onTestFinished(async () => {
      await server.unsafe(`drop role ${user}`)
      await server.end()
    })
    const env = { SERVICE_DBUSER: user, SERVICE_DBPASSWORD: 'my-secret' }
    const message =
      'SERVICE_DBUSER may not create the extension pgvector; run "CREATE EXTENSION vector" in SERVICE_DBNAME as a superuser once'
    expect(await migrate(await postgresSite(), env)).toEqual(refused(message))
  })

  it('writes nothing when the port is taken', async () => {
    const site = await postgresSite()
    const args = ['serve', '--host', '127.0.0.1', '--port', `${await occupyPort()}`]
    expect(await toItsEnd(semblance(node, args, site))).toMatchObject({ exit: 1, stdout: '' })
    const database = postgres(databaseUrlOf(site), { max: 1 })
    onTestFinished(() => database.end())
    const made = await database`
      select relname from pg_class where relname = 'users' union all select extname from pg_extension`
    expect([...made]).toEqual([{ relname: 'plpgsql' }])
  })

  it('waits for a server that does not answer yet', async () => {
    const site = await postgresSite()
    const port = await freePort()
    const env = { SERVICE_DBHOST: '127.0.0.1', SERVICE_DBPORT: `${port}` }
    const { folder, env: given } = site
    const migrating = semblance(node, ['migrate'], { folder, env: { ...given, ...env } })
    const saying = new RegExp(
      `"warn".*"PostgreSQL at 127.0.0.1:${port} has not answered for 2 s .ECONNREFUSED.; trying for 30 s"`,
    )
    await migrating.said(saying)
    await occupyPort(port, (client) => {
      const server = connect(Number(url.port || 5432), url.hostname)
      for (const socket of [client, server]) socket.on('error', () => socket.destroy())
      client.pipe(server).pipe(client)
    })
    expect(await toItsEnd(migrating)).toMatchObject({ exit: 0, stdout: upToDate.stdout })
  })
})
