import { describe, expect, it, onTestFinished } from 'vitest'
import { connectionsOf } from '../../src/db/connections.ts'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { createSealer } from '../../src/secrets/sealing.ts'
import { createApp } from '../../src/server/app.ts'
import { appSettings } from '../support/app.ts'
import { ask, exportPath } from '../support/exports.ts'
import { embedding, newProject, type Project, upload } from '../support/factories.ts'
import { watch } from '../support/secrets/watch.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

async function appWith(total: number) {
  const place = postgresOfRun()
  if (place === undefined) throw new Error('only with PostgreSQL')
  const database = await openPostgres(place, { connections: connectionsOf(total, {}) })
  onTestFinished(() => database.close())
  const sealer = createSealer('no secret is stored by way of this app')
  return createApp({ ...appSettings, database, sealer, log: watch.log() }).app
}

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

describe.skipIf(postgresOfRun() === undefined)('with the fewest connections', () => {
  it.each([true, false])('an export, with a key: %s, lets others search', async (isKeyed) => {
    const app = await appWith(6)
    const [large, small] = await Promise.all([publicProject(600), publicProject(2)])
    const gone = new AbortController()
    const key = isKeyed ? large.owner.key : undefined
    const answer = await ask(exportPath(large), key, app, { signal: gone.signal })
    const reader = answer.body?.getReader()
    onTestFinished(async () => {
      gone.abort()
      await reader?.cancel().catch(() => {})
    })
    expect(answer.status).toBe(200)
    expect((await reader?.read())?.done).toBe(false)
    const path = `${small.path('similars')}/t0?threshold=0`
    for (const by of [small.owner.key, undefined]) {
      const found = await ask(path, by, app)
      expect([found.status, await found.text()]).toEqual([200, expect.stringContaining('t1')])
    }
  })
})
