import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { embedding } from '../support/factories.ts'
import { connectionsToEach, KeptConnection } from '../support/servers/kept-connection.ts'
import {
  createProject,
  everyRuntime,
  request,
  type Server,
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

/** Uploads one embedding after the other. @returns those that were acknowledged before the connection ended */
async function uploadUntilRefused(server: Server, name: string): Promise<string[]> {
  const acknowledged: string[] = []
  const connection = new KeptConnection(server)
  for (let each = 0; ; each += 1) {
    const embeddings = [embedding(`${name}-${each}`, [each + 1, 1, 1])]
    const answer = await connection.send('POST', path, { embeddings }).catch(() => undefined)
    if (answer?.status !== 201) return acknowledged
    acknowledged.push(`${name}-${each}`)
  }
}

/** Ends a server under load, and looks for what it had acknowledged. */
async function endUnderLoad(server: Server, end: (pids: readonly number[]) => void) {
  const pids = [...(await connectionsToEach(server, 2)).keys()]
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const uploads = names.map((name) => uploadUntilRefused(server, name))
  await sleep(1_500)
  end(pids)
  const acknowledged = (await Promise.all(uploads)).flat()
  return { pids, acknowledged }
}

async function missingOf(server: Server, ids: readonly string[]): Promise<string[]> {
  const { status, body } = await request(server, 'POST', `${path}/missing`, {
    items: ids.map((text_id) => ({ text_id })),
  })
  expect(status).toBe(200)
  return Missing.parse(body).missing
}

describe.skipIf(databaseUrl === undefined).each(everyRuntime)(
  'of two processes on $name',
  (runtime) => {
    const onRuntime = it.skipIf(runtime.command === undefined)
    const start = async (site: Site) => startServer(runtime, site, '--workers', '2')

    onRuntime(
      'one that is killed is replaced, and requests of the other are not harmed',
      async () => {
        const server = await start(await postgresSite())
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
        for (const connection of now.values()) {
          expect((await connection.send('GET', '/readyz')).status).toBe(200)
        }
      },
    )

    onRuntime('SIGTERM ends both in order, and nothing is lost that was acknowledged', async () => {
      const site = await postgresSite()
      const server = await start(site)
      await createProject(server, 3)
      const { pids, acknowledged } = await endUnderLoad(server, () =>
        server.program.signal('SIGTERM'),
      )
      expect(await server.program.exit).toBe(0)
      expect(pids.filter(isAlive)).toEqual([])
      expect(acknowledged.length).toBeGreaterThan(6)
      expect(await missingOf(await start(site), acknowledged)).toEqual([])
    })

    onRuntime('Ctrl-C, which all of them get, ends them without a word of warning', async () => {
      const site = await postgresSite()
      // No warnings of those.
      const server = await start({ ...site, env: { ...site.env, SERVICE_SLOWREQUEST: '0' } })
      await createProject(server, 3)
      const { acknowledged } = await endUnderLoad(server, (pids) => {
        for (const pid of [...pids, server.program.pid ?? 0]) process.kill(pid, 'SIGINT')
      })
      expect(await server.program.exit).toBe(0)
      const notes = server.program.log.filter(({ level }) => level === 'warn' || level === 'error')
      expect(notes).toEqual([])
      expect(server.program.log.filter(({ msg }) => msg === 'stopping')).toHaveLength(1)
      expect(await missingOf(await start(site), acknowledged)).toEqual([])
    })

    onRuntime('both end when the primary process is killed, and free the port', async () => {
      const site = await postgresSite()
      const server = await start(site)
      await createProject(server, 3)
      const { pids, acknowledged } = await endUnderLoad(server, () =>
        server.program.signal('SIGKILL'),
      )
      await expect.poll(() => pids.filter(isAlive), { timeout: 20_000 }).toEqual([])
      const port = new URL(server.url).port
      const again = await startServer(runtime, site, '--workers', '2', '--port', port)
      expect(await missingOf(again, acknowledged)).toEqual([])
    })

    onRuntime('one that hangs is ended with the others', async () => {
      const server = await start(await postgresSite())
      const pids = [...(await connectionsToEach(server, 2)).keys()]
      onTestFinished(() => {
        for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL')
      })
      process.kill(pids[0] ?? 0, 'SIGSTOP')
      server.program.signal('SIGTERM')
      expect(await server.program.exit).toBe(0)
      await expect.poll(() => pids.filter(isAlive)).toEqual([])
    })
  },
)
