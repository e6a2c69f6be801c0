import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../shared/ports.ts'
import { embedding } from '../support/factories.ts'
import { node, semblance } from '../support/servers/program.ts'
import { RawConnection } from '../support/servers/raw-http.ts'
import { createProject, runtimes, stages, startServer, upload } from '../support/servers/server.ts'
import {
  databaseUrl,
  databaseUrlOf,
  givenKeys,
  newFolder,
  postgresSite,
} from '../support/servers/site.ts'

for (const { title, runtime, site: newSite } of stages) {
  describe(`SIGTERM (${title})`, () => {
    it('ends the server in order, with what was asked before answered', async () => {
      const { program, url, key } = await startServer(runtime, await newSite())
      const idle = await RawConnection.open(url)
      const get = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
      await idle.send(get)
      expect(await idle.answer()).toMatchObject({ status: 200 })
      const body = JSON.stringify({ user_handle: 'ann' })
      const slow = await RawConnection.open(url)
      await slow.send(
        `POST /v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n`,
      )
      await slow.send(body.slice(0, 8))
      const inFlight = async () => {
        const headers = { Authorization: `Bearer ${key}` }
        const figures = await (await fetch(`${url}/metrics`, { headers })).text()
        return /^semblance_http_requests_in_flight (\d+)/m.exec(figures)?.[1]
      }
      // It and the request for the figures.
      await expect.poll(inFlight).toBe('2')

      program.signal('SIGTERM')
      await program.said(/"stopping"/)
      // npm passes on a signal that the server gets itself at Ctrl-C; the second must cut nothing short.
      program.signal('SIGTERM')
      await idle.send(get)
      // Else the server would have to wait for its clients to close.
      const head = expect.stringContaining('connection: close')
      expect(await idle.answer()).toMatchObject({ status: 200, head })
      // Time to be busy with stopping.
      await sleep(500)
      await slow.send(body.slice(8))
      expect(await slow.answer()).toMatchObject({ status: 201, head })
      expect(await program.exit).toBe(0)
    })
  })
}

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(
    `SIGTERM during the start (${runtime.name})`,
    () => {
      it('ends a wait for the database', async () => {
        const folder = await newFolder()
        const env = {
          ...givenKeys,
          SERVICE_DBHOST: '127.0.0.1',
          SERVICE_DBPORT: `${await freePort()}`,
        }
        const program = semblance(runtime, ['serve', '--port', '0'], { folder, env })
        await program.said(/has not answered for 2 s/)
        program.signal('SIGTERM')
        expect(await program.exit).toBe(0)
      })
    },
  )
}

describe.skipIf(databaseUrl === undefined)('SIGTERM during the build of an index', () => {
  it('does not wait for the build', async () => {
    const site = await postgresSite()
    const env = { ...site.env, SERVICE_EXACTBUDGET: '30', SERVICE_INDEXDELAY: '0' }
    const server = await startServer(node, { ...site, env })
    await createProject(server, 3)
    const database = postgres(databaseUrlOf(site), { max: 2 })
    onTestFinished(() => database.end({ timeout: 1 }))
    // A build goes on for as long as there is a transaction that is older.
    const older = await database.reserve()
    await older`begin isolation level repeatable read`
    await older`select count(*) from embeddings`
    const items = Array.from({ length: 20 }, (_, index) => embedding(`${index}`, [index, 1, 1]))
    expect(await upload(server, ...items)).toMatchObject({ status: 201 })
    const building = () => database`
          select 1 from pg_stat_activity
          where datname = current_database() and query ~* '^create index' and state = 'active'`
    while ((await building()).length === 0) await sleep(100)

    server.program.signal('SIGTERM')
    expect(await server.program.exit).toBe(0)
    // It would still go on.
    await older`rollback`
    older.release()
  })
})
