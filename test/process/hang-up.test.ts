import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { embedding } from '../support/factories.ts'
import { createProject, request, runtimes, startServer } from '../support/servers/server.ts'
import { databaseUrl, databaseUrlOf, postgresSite } from '../support/servers/site.ts'

for (const runtime of runtimes) {
  describe.skipIf(databaseUrl === undefined || runtime.command === undefined)(
    `a client that leaves (${runtime.name})`,
    () => {
      it('has its statements cancelled, and nothing of its upload is stored', async () => {
        const site = await postgresSite()
        const env = { ...site.env, SERVICE_DEBUG: 'true' }
        const server = await startServer(runtime, { ...site, env })
        await createProject(server, 2)
        const admin = postgres(databaseUrlOf(site), { max: 2 })
        onTestFinished(() => admin.end({ timeout: 1 }))
        const waiting = async () => {
          const [row] = await admin`select count(*)::int as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`
          return row?.['n']
        }
        const locking = await admin.reserve()
        await locking`begin`
        await locking`lock table embeddings in access exclusive mode`
        const leaves = new AbortController()
        const asked = (path: string, init: RequestInit = {}) => {
          const headers = { Authorization: `Bearer ${server.key}` }
          const { signal } = leaves
          const answer = fetch(`${server.url}/v1/${path}`, { headers, signal, ...init })
          return expect(answer).rejects.toThrow(/abort/)
        }
        const sent = JSON.stringify({ embeddings: [embedding('left', [1, 2])] })
        const left = [
          asked('embeddings/ann/texts/one'),
          asked('similars/ann/texts/one'),
          asked('embeddings/ann/texts', { method: 'POST', body: sent }),
        ]
        await expect.poll(waiting).toBe(3)
        leaves.abort()
        await Promise.all(left)
        await expect.poll(waiting).toBe(0)
        // Cancelled: at the end of their lock_timeout they would be answered 503.
        const statuses = () =>
          server.program.log.flatMap(({ route, status }) =>
            /^\/v1\/(embeddings|similars)/.test(`${route}`) ? [status] : [],
          )
        await expect.poll(statuses).toEqual([408, 408, 408])
        await locking`rollback`
        locking.release()
        const { body } = await request(server, 'GET', '/v1/embeddings/ann/texts')
        expect(body).toMatchObject({ embeddings: [], total_count: 0 })
      })
    },
  )
}
