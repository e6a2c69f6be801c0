import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { embedding } from '../support/factories.ts'
import { connectionsToEach, KeptConnection } from '../support/servers/kept-connection.ts'
import type { Runtime } from '../support/servers/program.ts'
import {
  createProject,
  everyRuntime,
  kill,
  request,
  runtimes,
  type Server,
  serve,
  startServer,
} from '../support/servers/server.ts'
import { databaseUrl, postgresSite } from '../support/servers/site.ts'

const texts = '/v1/embeddings/ann/texts'
const search = '/v1/similars/ann/texts'
const Found = z.object({ results: z.array(z.object({ id: z.string() })) })
const Made = z.object({ api_key: z.string() })

/** Two processes that share a port, and a connection to each. */
async function startTwo(runtime: Runtime, env: Record<string, string> = {}) {
  const site = await postgresSite()
  const settings = { ...site, env: { SERVICE_DBCONNECTIONS: '8', ...site.env, ...env } }
  const server = await startServer(runtime, settings, '--workers', '2')
  const connections = await connectionsToEach(server, 2)
  const [one, other] = [...connections.values()]
  if (one === undefined || other === undefined) throw new Error('there are no two processes')
  const pids = [...connections.keys()]
  onTestFinished(() => {
    for (const connection of [one, other]) connection.close()
    for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL')
  })
  return { site, server, pids, one, other }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The value of a metric, by its name with its labels but for that of the process. */
async function metric(connection: KeptConnection, name: string): Promise<number | undefined> {
  const { text } = await connection.send('GET', '/metrics')
  const pid = `pid="${await connection.pid()}"`
  const labelled = name.includes('{') ? name.replace('{', `{${pid},`) : `${name}{${pid}}`
  const line = text.split('\n').find((each) => each.startsWith(`${labelled} `))
  return line === undefined ? undefined : Number(line.slice(labelled.length))
}

/** Uploads one embedding after the other until the connection ends, and tells which were acknowledged. */
async function uploadUntilRefused(server: Server, name: string, acknowledged: string[]) {
  const connection = new KeptConnection(server)
  for (let each = 0; ; each += 1) {
    const embeddings = [embedding(`${name}-${each}`, [each + 1, 1, 1])]
    const answer = await connection.send('POST', texts, { embeddings }).catch(() => undefined)
    if (answer?.status !== 201) return
    acknowledged.push(`${name}-${each}`)
  }
}

/** Ends two processes under load: what they had acknowledged by then. */
async function endUnderLoad(server: Server, end: () => void): Promise<readonly string[]> {
  await createProject(server, 3)
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const acknowledged: string[] = []
  const uploads = names.map((name) => uploadUntilRefused(server, name, acknowledged))
  await expect.poll(() => acknowledged.length).toBeGreaterThan(3 * names.length)
  end()
  await Promise.all(uploads)
  return acknowledged
}

async function expectStored(server: Server, ids: readonly string[]): Promise<void> {
  const items = ids.map((text_id) => ({ text_id }))
  const { status, body } = await request(server, 'POST', `${texts}/missing`, { items })
  expect([status, body]).toMatchObject([200, { missing: [] }])
}

/** The processes that this one has started; Linux tells. */
const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

const onPostgres = describe.skipIf(databaseUrl === undefined)
const present = ({ command }: Runtime) => command !== undefined

onPostgres.each(everyRuntime.filter(present))('two processes on $name', (runtime) => {
  it('count each for itself, and say so', async () => {
    const { server, pids, one, other } = await startTwo(runtime, { SERVICE_RATELIMIT: '3' })
    const counted =
      'semblance_http_request_duration_seconds_count{method="GET",route="/v1/users/{user}",status="404"}'
    for (const connection of [one, one, other]) await connection.send('GET', '/v1/users/nobody')
    expect([await metric(one, counted), await metric(other, counted)]).toEqual([2, 1])
    const users = 'semblance_users'
    expect([await metric(one, users), await metric(other, users)]).toEqual([0, 0])

    const { text } = await one.send('POST', '/v1/users', { user_handle: 'ann' })
    const { api_key: key } = Made.parse(JSON.parse(text))
    const statuses: (number | undefined)[] = []
    for (const connection of [one, one, one, one, other, other, other, other]) {
      statuses.push((await connection.send('GET', '/v1/users/ann', undefined, { key })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 200, 200, 200, 429])

    const said = (what: RegExp) => server.program.log.filter(({ msg }) => what.test(`${msg}`))
    expect(said(/is listening on/)).toHaveLength(1)
    expect(said(/^2 worker .* 2 × 8 connections to PostgreSQL and 2 × 1024 MB/)).toHaveLength(1)
    expect(said(/worker process \d/)).toEqual([])
    expect(pids).not.toContain(server.program.pid)
  })

  it('replace one that is killed, which harms no request of the other', async () => {
    const { server, pids, other } = await startTwo(runtime)
    const [killed = 0] = pids
    let isOver = false
    const statuses = new Set<number | undefined>()
    const requests = (async () => {
      while (!isOver) statuses.add((await other.send('GET', '/v1/users')).status)
    })()
    process.kill(killed, 'SIGKILL')
    await server.program.said(
      new RegExp(`worker process ${killed} ended by SIGKILL; the next begins`),
    )
    const now = await connectionsToEach(server, 2)
    isOver = true
    await requests
    expect([...statuses]).toEqual([200])
    expect(now.has(killed)).toBe(false)
  })

  it('end in order at SIGTERM, and lose nothing that was acknowledged', async () => {
    const { site, server, pids } = await startTwo(runtime)
    const acknowledged = await endUnderLoad(server, () => server.program.signal('SIGTERM'))
    expect(await server.program.exit).toBe(0)
    expect(pids.filter(isAlive)).toEqual([])
    await expectStored(await startServer(runtime, site), acknowledged)
  })

  it('end when the primary process is killed, and free the port', async () => {
    const { site, server, pids } = await startTwo(runtime)
    const acknowledged = await endUnderLoad(server, () => server.program.signal('SIGKILL'))
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
    const { port } = new URL(server.url)
    await expectStored(await startServer(runtime, site, '--port', port), acknowledged)
  })
})

onPostgres.each(runtimes.filter(present))('of two processes on $name', (runtime) => {
  it('each finds at once what the other has stored, and nothing that it has deleted', async () => {
    const { server, one, other } = await startTwo(runtime)
    await createProject(server, 600)
    const vectorOf = (seed: number) =>
      Array.from({ length: 600 }, (_, index) => Math.sin(seed * 1_000 + index * (1 + seed)))
    const embeddings = Array.from({ length: 500 }, (_, at) => embedding(`t${at}`, vectorOf(at)))
    expect((await one.send('POST', texts, { embeddings })).status).toBe(201)
    // From then on both search in memory.
    for (const connection of [one, other]) {
      const held = () => connection.send('POST', search, { vector: vectorOf(1) })
      await expect.poll(async () => (await held()).headers['server-timing']).toContain('memory')
    }
    const nearest = async (connection: KeptConnection, vector: readonly number[]) => {
      const { text } = await connection.send('POST', search, { vector, count: 1 })
      return Found.parse(JSON.parse(text)).results[0]?.id
    }
    for (let round = 0; round < 20; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one]
      const [id, vector] = [`new${round}`, vectorOf(1_000 + round)]
      const stored = await writer.send('POST', texts, { embeddings: [embedding(id, vector)] })
      expect(stored.status).toBe(201)
      expect(await nearest(reader, vector)).toBe(id)
      expect((await writer.send('DELETE', `${texts}/${id}`)).status).toBe(200)
      expect(await nearest(reader, vector)).not.toBe(id)
    }
  })

  it('none warns at Ctrl-C, which all of them get', async () => {
    // No warnings of slow requests.
    const { site, server, pids } = await startTwo(runtime, { SERVICE_SLOWREQUEST: '0' })
    const acknowledged = await endUnderLoad(server, () => {
      for (const pid of [...pids, server.program.pid ?? 0]) process.kill(pid, 'SIGINT')
    })
    expect(await server.program.exit).toBe(0)
    const notes = server.program.log.filter(({ level }) => level === 'warn' || level === 'error')
    expect(notes).toEqual([])
    expect(server.program.log.filter(({ msg }) => msg === 'stopping')).toHaveLength(1)
    await expectStored(await startServer(runtime, site), acknowledged)
  })

  it('one that hangs ends with the other', async () => {
    const { server, pids } = await startTwo(runtime)
    process.kill(pids[0] ?? 0, 'SIGSTOP')
    server.program.signal('SIGTERM')
    expect(await server.program.exit).toBe(0)
    expect(pids.filter(isAlive)).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')('one that ends before it serves ends all', async () => {
    const program = serve(runtime, await postgresSite(), '--workers', '2')
    onTestFinished(() => kill(program))
    const first = () => childrenOf(program.pid ?? 0)[0]
    await expect.poll(first, { interval: 5 }).toBeDefined()
    process.kill(first() ?? 0, 'SIGKILL')
    expect(await program.exit).toBe(1)
    expect(program.stderr).toContain(
      'semblance: a worker process ended by SIGKILL during the start\n',
    )
  })
})
