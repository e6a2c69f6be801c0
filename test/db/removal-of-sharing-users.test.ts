import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adminKey } from '../support/app.ts'
import { member } from '../support/openapi/document-schemas.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const model = {
  endpoint: 'https://a.example',
  api_standard: 'provider-a',
  model: 'm',
  dimensions: 3,
}

async function start() {
  const service = await startOwnService()
  const { app, place } = service
  if (place === undefined) throw new Error('only with PostgreSQL')
  const other = postgres({ ...place, max: 2, onnotice: () => {} })
  onTestFinished(async () => {
    await other.end({ timeout: 1 })
    await service.close()
  })
  const call = async (method: string, path: string, key: string, body?: object) =>
    app.request(path, {
      method,
      headers: { Authorization: `Bearer ${key}` },
      body: body === undefined ? null : JSON.stringify(body),
    })
  const newUser = async (handle: string) => {
    const answer = await call('PUT', `/v1/users/${handle}`, adminKey, {})
    const key = String(member(await answer.json(), 'api_key'))
    await call('PUT', `/v1/llm-services/${handle}/model`, key, model)
    const uses = { instance_owner: handle, instance_handle: 'model', public_read: true }
    expect((await call('PUT', `/v1/projects/${handle}/texts`, key, uses)).status).toBe(201)
    return { handle, key }
  }
  return { call, newUser, other }
}

const share = (path: string) => (mine: string, other: string) =>
  [
    `/v1/${path.replace('{user}', mine)}/share`,
    { share_with_handle: other, role: 'reader' },
  ] as const

const links = [
  {
    what: 'projects that they share',
    table: 'project_shares',
    link: share('projects/{user}/texts'),
  },
  {
    what: 'instances that they share',
    table: 'instance_shares',
    link: share('llm-services/{user}/model'),
  },
]

describe.skipIf(postgresOfRun() === undefined)('the removal of two users at once', () => {
  it.each(links)('does not deadlock because of $what', async ({ table, link }) => {
    const { call, newUser, other } = await start()
    const both = [await newUser('ann'), await newUser('bob')]
    for (const [index, { handle, key }] of both.entries()) {
      const [path, body] = link(handle, both[1 - index]?.handle ?? '')
      expect((await call('POST', path, key, body)).status).toBe(201)
    }
    // Both removals go as far as their first row.
    const holder = await other.reserve()
    await holder`begin`
    await holder`select from ${other(table)} for update`
    let isDone = false
    const removals = Promise.all(
      both.map(({ handle }) => call('DELETE', `/v1/users/${handle}`, adminKey)),
    ).finally(() => {
      isDone = true
    })
    const count = async (query: postgres.PendingQuery<postgres.Row[]>) => (await query)[0]?.['n']
    await expect
      .poll(() =>
        count(other`select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`),
      )
      .toBe(2)
    await holder`rollback`
    holder.release()
    let deadlocked = 0
    while (!isDone) {
      deadlocked += await count(other`select count(*)::int as n
        from pg_stat_activity one join pg_stat_activity two
        on one.pid = any(pg_blocking_pids(two.pid)) and two.pid = any(pg_blocking_pids(one.pid))
        where one.datname = current_database()`)
    }
    expect((await removals).map(({ status }) => status)).toEqual([200, 200])
    expect(deadlocked).toBe(0)
  })
})
