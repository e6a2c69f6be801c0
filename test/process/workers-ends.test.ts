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
import { databaseUrl, postgresSite, type Site } from '../support/servers/site.ts'

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const path = '/v1/embeddings/ann/texts'
const Missing = z.object({ missing: z.array(z.string()) })

/** Uploads one embedding after the other until the connection ends, and tells which were acknowledged. */
async function uploadUntilRefused(server: Server, name: string, acknowledged: string[]) {
  const connection = new KeptConnection(server)
  for (let each = 0; ; each += 1) {
    const embeddings = [embedding(`${name}-${each}`, [each + 1, 1, 1])]
    const answer = await connection.send('POST', path, { embeddings }).catch(() => undefined)
    if (answer?.status !== 201) return
    acknowledged.push(`${name}-${each}`)
  }
}

/** Ends a server under load, and looks for what it had acknowledged. */
async function endUnderLoad(server: Server, end: (pids: readonly number[]) => void) {
  const pids = [...(await connectionsToEach(server, 2)).keys()]
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const acknowledged: string[] = []
  const uploads = names.map((name) => uploadUntilRefused(server, name, acknowledged))
  await expect.poll(() => acknowledged.length).toBeGreaterThan(3 * names.length)
  end(pids)
  await Promise.all(uploads)
  return { pids, acknowledged }
}

async function missingOf(server: Server, ids: readonly string[]): Promise<string[]> {
  const { status, body } = await request(server, 'POST', `${path}/missing`, {
    items: ids.map((text_id) => ({ text_id })),
  })
  expect(status).toBe(200)
  return Missing.parse(body).missing
}

/** The processes that this one has started; Linux tells. */
const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

const onPostgres = describe.skipIf(databaseUrl === undefined)
const startTwo = (runtime: Runtime, site: Site) =>
  startServer(runtime, site, '--workers', '2', '--db-connections', '8')

onPostgres.each(everyRuntime)('of two processes on $name', (runtime) => {
  const onRuntime = it.skipIf(runtime.command === undefined)

  onRuntime('one that is killed is replaced, and harms no request of the other', async () => {
    const server = await startTwo(runtime, await postgresSite())
    const connections = await connectionsToEach(server, 2)
    const [killed = 0, keptBy = 0] = [...connections.keys()]
    const kept = connections.get(keptBy)
    let isOver = false
    const statuses = new Set<number | undefined>()
    const requests = (async () => {
      while (!isOver) statuses.add((await kept?.send('GET', '/v1/users'))?.status)
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

  onRuntime('both end in order at SIGTERM, and lose nothing that was acknowledged', async () => {
    const site = await postgresSite()
    const server = await startTwo(runtime, site)
    await createProject(server, 3)
    const { pids, acknowledged } = await endUnderLoad(server, () =>
      server.program.signal('SIGTERM'),
    )
    expect(await server.program.exit).toBe(0)
    expect(pids.filter(isAlive)).toEqual([])
    expect(await missingOf(await startServer(runtime, site), acknowledged)).toEqual([])
  })

  onRuntime('both end when the primary process is killed, and free the port', async () => {
    const site = await postgresSite()
    const server = await startTwo(runtime, site)
    await createProject(server, 3)
    const { pids, acknowledged } = await endUnderLoad(server, () =>
      server.program.signal('SIGKILL'),
    )
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
    const { port } = new URL(server.url)
    const again = await startServer(runtime, site, '--port', port)
    expect(await missingOf(again, acknowledged)).toEqual([])
  })
})

onPostgres.each(runtimes)('two processes on $name', (runtime) => {
  const onRuntime = it.skipIf(runtime.command === undefined)

  onRuntime('end without a word of warning at Ctrl-C, which all of them get', async () => {
    const site = await postgresSite()
    // No warnings of those.
    const server = await startTwo(runtime, {
      ...site,
      env: { ...site.env, SERVICE_SLOWREQUEST: '0' },
    })
    await createProject(server, 3)
    const { acknowledged } = await endUnderLoad(server, (pids) => {
      for (const pid of [...pids, server.program.pid ?? 0]) process.kill(pid, 'SIGINT')
    })
    expect(await server.program.exit).toBe(0)
    const notes = server.program.log.filter(({ level }) => level === 'warn' || level === 'error')
    expect(notes).toEqual([])
    expect(server.program.log.filter(({ msg }) => msg === 'stopping')).toHaveLength(1)
    expect(await missingOf(await startServer(runtime, site), acknowledged)).toEqual([])
  })

  onRuntime('end together also when one of them hangs', async () => {
    const server = await startTwo(runtime, await postgresSite())
    const pids = [...(await connectionsToEach(server, 2)).keys()]
    onTestFinished(() => {
      for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL')
    })
    process.kill(pids[0] ?? 0, 'SIGSTOP')
    server.program.signal('SIGTERM')
    expect(await server.program.exit).toBe(0)
    expect(pids.filter(isAlive)).toEqual([])
  })

  it.skipIf(runtime.command === undefined || process.platform !== 'linux')(
    'do not start when one of them ends before it serves',
    async () => {
      const program = serve(runtime, await postgresSite(), '--workers', '2')
      onTestFinished(() => kill(program))
      const first = () => childrenOf(program.pid ?? 0)[0]
      await expect.poll(first, { interval: 5 }).toBeDefined()
      process.kill(first() ?? 0, 'SIGKILL')
      expect(await program.exit).toBe(1)
      expect(program.stderr).toContain(
        'semblance: a worker process ended by SIGKILL during the start\n',
      )
    },
  )
})
