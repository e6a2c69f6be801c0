import { describe, expect, it, onTestFinished } from 'vitest'
import { type Connections, connectionsOf } from '../../src/db/connections.ts'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { serviceOn } from '../support/app.ts'
import { ask, exportPath } from '../support/exports.ts'
import { embedding, newProject, type Project, upload } from '../support/factories.ts'
import { isOnCitus, postgresOfRun } from '../support/servers/postgres-place.ts'
import { waitUntil } from '../support/wait.ts'

async function serviceWith(connections: Connections) {
  const place = postgresOfRun()
  if (place === undefined) throw new Error('only with PostgreSQL')
  const database = await openPostgres(place, { connections })
  onTestFinished(() => database.close())
  return { database, app: serviceOn(database).app }
}
type App = Awaited<ReturnType<typeof serviceWith>>['app']

async function publicProject(texts: number): Promise<Project> {
  const project = await newProject({ public_read: true })
  const long = 'x'.repeat(9_000)
  for (let from = 0; from < texts; from += 100) {
    const items = Array.from({ length: Math.min(100, texts) }, (_, at) =>
      embedding(`t${from + at}`, [1, from + at, 3], { text: long }),
    )
    await upload(project, ...items)
  }
  return project
}

/** An export of which the first part is read. */
async function beginExport(project: Project, key: string | undefined, app: App): Promise<void> {
  const gone = new AbortController()
  const answer = await ask(exportPath(project), key, app, { signal: gone.signal })
  const reader = answer.body?.getReader()
  onTestFinished(async () => {
    gone.abort()
    await reader?.cancel().catch(() => {})
  })
  expect(answer.status).toBe(200)
  expect((await reader?.read())?.done).toBe(false)
}

describe.skipIf(postgresOfRun() === undefined)('with the fewest connections', () => {
  it.each([true, false])('an export, with a key: %s, lets others search', async (isKeyed) => {
    const { app } = await serviceWith(connectionsOf(6))
    const [large, small] = await Promise.all([publicProject(600), publicProject(2)])
    await beginExport(large, isKeyed ? large.owner.key : undefined, app)
    const path = `${small.path('similars')}/t0?threshold=0`
    for (const by of [small.owner.key, undefined]) {
      const found = await ask(path, by, app)
      expect([found.status, await found.text()]).toEqual([200, expect.stringContaining('t1')])
    }
  })
})

describe.skipIf(postgresOfRun() === undefined || isOnCitus())(
  'while all connections search',
  () => {
    it('an export beside another takes its turn', async () => {
      const { app, database } = await serviceWith({ short: 2, search: 8, bulk: 1, maintenance: 1 })
      const [large, small] = await Promise.all([publicProject(600), publicProject(2)])
      await beginExport(large, large.owner.key, app)
      const { signal } = new AbortController()
      const hold = (name: string) => {
        let end = () => {}
        const ended = new Promise<void>((resolve) => {
          end = resolve
        })
        const done = database.onBehalfOf({ name, signal }, () =>
          database.search.transaction(() => ended),
        )
        onTestFinished(() => {
          end()
          return done
        })
        return end
      }
      const [endOne] = Array.from({ length: 7 }, (_, at) => hold(`searcher ${at}`))
      const queued = (count: number) =>
        waitUntil(async () => database.load()['search']?.queued === count || undefined)
      const asked = ask(exportPath(small), small.owner.key, app)
      await queued(1)
      hold('one more')
      await queued(2)
      endOne?.()
      expect((await asked).status).toBe(200)
    })
  },
)
