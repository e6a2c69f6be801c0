import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { embedding } from '../support/factories.ts'
import { connectionsToEach, type KeptConnection } from '../support/servers/kept-connection.ts'
import type { Runtime } from '../support/servers/program.ts'
import { createProject, everyRuntime, runtimes, startServer } from '../support/servers/server.ts'
import { databaseUrl, postgresSite } from '../support/servers/site.ts'

async function startTwo(runtime: Runtime, env: Record<string, string> = {}) {
  const site = await postgresSite()
  const settings = { ...site, env: { SERVICE_DBCONNECTIONS: '8', ...site.env, ...env } }
  const server = await startServer(runtime, settings, '--workers', '2')
  const connections = await connectionsToEach(server, 2)
  onTestFinished(() => {
    for (const connection of connections.values()) connection.close()
  })
  const [one, other] = [...connections.values()]
  if (one === undefined || other === undefined) throw new Error('there are no two processes')
  return { server, connections, one, other }
}

const Found = z.object({ results: z.array(z.object({ id: z.string() })) })
const idsIn = (text: string) => Found.parse(JSON.parse(text)).results.map(({ id }) => id)

/** The value of a metric, by its name with its labels but for that of the process. */
async function metric(connection: KeptConnection, name: string): Promise<number | undefined> {
  const { status, text } = await connection.send('GET', '/metrics')
  expect(status).toBe(200)
  const pid = `pid="${await connection.pid()}"`
  const labelled = name.includes('{') ? name.replace('{', `{${pid},`) : `${name}{${pid}}`
  const line = text.split('\n').find((each) => each.startsWith(`${labelled} `))
  return line === undefined ? undefined : Number(line.slice(labelled.length))
}

const path = '/v1/embeddings/ann/texts'
const search = '/v1/similars/ann/texts'

const onPostgres = describe.skipIf(databaseUrl === undefined)

onPostgres.each(everyRuntime)('two processes on $name', (runtime) => {
  it.skipIf(runtime.command === undefined)('count each for itself, and say so', async () => {
    const { server, connections, one, other } = await startTwo(runtime, { SERVICE_RATELIMIT: '3' })
    const counted =
      'semblance_http_request_duration_seconds_count{method="GET",route="/v1/users/{user}",status="404"}'
    for (const connection of [one, one, other]) await connection.send('GET', '/v1/users/nobody')
    expect([await metric(one, counted), await metric(other, counted)]).toEqual([2, 1])
    expect([await metric(one, 'semblance_users'), await metric(other, 'semblance_users')]).toEqual([
      0, 0,
    ])

    const { text } = await one.send('POST', '/v1/users', { user_handle: 'ann' })
    const { api_key: key } = z.object({ api_key: z.string() }).parse(JSON.parse(text))
    const statuses: (number | undefined)[] = []
    for (const connection of [one, one, one, one, other, other, other, other]) {
      statuses.push((await connection.send('GET', '/v1/users/ann', undefined, { key })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 200, 200, 200, 429])

    const said = (what: RegExp) => server.program.log.filter(({ msg }) => what.test(`${msg}`))
    expect(said(/is listening on/)).toHaveLength(1)
    expect(said(/^2 worker .* 2 × 8 connections to PostgreSQL and 2 × 1024 MB/)).toHaveLength(1)
    expect(said(/worker process \d/)).toEqual([])
    expect([...connections.keys()]).not.toContain(server.program.pid)
  })
})

onPostgres.each(runtimes)('what one of two processes has done, on $name,', (runtime) => {
  it.skipIf(runtime.command === undefined)(
    'the other finds at once: what was stored, and nothing that was deleted',
    async () => {
      const { server, one, other } = await startTwo(runtime)
      const dimensions = 600
      await createProject(server, dimensions)
      const vectorOf = (seed: number) =>
        Array.from({ length: dimensions }, (_, index) =>
          Math.sin(seed * 1_000 + index * (1 + seed)),
        )
      const items = Array.from({ length: 500 }, (_, index) =>
        embedding(`t${index}`, vectorOf(index)),
      )
      expect((await one.send('POST', path, { embeddings: items })).status).toBe(201)
      // From then on both search in memory.
      const held = async (connection: KeptConnection) =>
        (await connection.send('POST', search, { vector: vectorOf(1) })).headers['server-timing']
      for (const connection of [one, other]) {
        await expect.poll(() => held(connection)).toContain('memory')
      }
      const nearest = async (connection: KeptConnection, vector: readonly number[]) =>
        idsIn((await connection.send('POST', search, { vector, count: 1 })).text)[0]
      for (let round = 0; round < 20; round += 1) {
        const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one]
        const vector = vectorOf(1_000 + round)
        const id = `new${round}`
        const stored = await writer.send('POST', path, { embeddings: [embedding(id, vector)] })
        expect(stored.status).toBe(201)
        expect(await nearest(reader, vector)).toBe(id)
        expect((await writer.send('DELETE', `${path}/${id}`)).status).toBe(200)
        expect(await nearest(reader, vector)).not.toBe(id)
      }
    },
  )

  it.skipIf(runtime.command === undefined)(
    'both search by: an index, as soon as it is built',
    async () => {
      const { server, one, other } = await startTwo(runtime, {
        SERVICE_EXACTBUDGET: '30',
        SERVICE_VECTORMEMORY: '0',
      })
      await createProject(server, 3)
      const items = Array.from({ length: 40 }, (_, index) =>
        embedding(`t${index}`, [index, 40 - index, 1]),
      )
      expect((await one.send('POST', path, { embeddings: items })).status).toBe(201)
      const mode = async (connection: KeptConnection) =>
        (await connection.send('POST', search, { vector: [1, 2, 3] })).headers['x-search-mode']
      await expect.poll(() => mode(one)).toBe('approximate')
      expect(await mode(other)).toBe('approximate')
      for (const connection of [one, other]) {
        await expect.poll(() => metric(connection, 'semblance_search_indexes')).toBe(1)
      }
      expect((await other.send('DELETE', path)).status).toBe(200)
      const noIndex = () => metric(one, 'semblance_search_indexes')
      await expect.poll(noIndex).toBe(0)
      await expect.poll(() => metric(other, 'semblance_search_indexes')).toBe(0)
    },
  )
})
