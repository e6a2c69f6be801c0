import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adminKey } from '../support/app.ts'
import { createClient } from '../support/client.ts'
import { askerOf, makeProject } from '../support/servers/own-projects.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

/**
 * A service on PostgreSQL with two users, who have an instance and a public project each, and another
 * session of its database, which holds locks and sees who waits for them.
 */
async function start() {
  const service = await startOwnService()
  const other = postgres({ ...service.place, max: 2, onnotice: () => {} })
  onTestFinished(async () => {
    await other.end({ timeout: 1 })
    await service.close()
  })
  const client = createClient(service)
  const call = (method: string, path: string, key: string, body?: object) =>
    client(method, path, { key, body })
  const newOwner = async (handle: string) => {
    await makeProject(askerOf(service), `${handle}/texts`, 3, { public_read: true })
    const { body } = await call('PUT', `/v1/users/${handle}`, adminKey, {})
    return { handle, key: String(body.api_key) }
  }
  /** How many sessions wait for a lock. */
  const waiting = async () => {
    const [row] = await other`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return row?.['n']
  }
  const [ann, bob] = [await newOwner('ann'), await newOwner('bob')]
  return { call, other, waiting, ann, bob }
}

describe.skipIf(postgresOfRun() === undefined)('the removal of two users at once', () => {
  it.each([
    ['project_shares', 'projects', 'texts'],
    ['instance_shares', 'llm-services', 'model'],
  ])('does not deadlock because of their %s', async (table, kind, shared) => {
    const { call, other, waiting, ann, bob } = await start()
    for (const [owner, friend] of [
      [ann, bob],
      [bob, ann],
    ] as const) {
      const body = { share_with_handle: friend.handle, role: 'reader' }
      const path = `/v1/${kind}/${owner.handle}/${shared}/share`
      expect((await call('POST', path, owner.key, body)).status).toBe(201)
    }
    // Both removals go as far as their first row.
    const holder = await other.reserve()
    await holder`begin`
    await holder`select from ${other(table)} for update`
    let isDone = false
    const removals = Promise.all(
      [ann, bob].map(({ handle }) => call('DELETE', `/v1/users/${handle}`, adminKey)),
    ).finally(() => {
      isDone = true
    })
    await expect.poll(waiting).toBe(2)
    await holder`rollback`
    holder.release()
    let deadlocked = 0
    while (!isDone) {
      const cycles = await other`select from pg_stat_activity one join pg_stat_activity two
        on one.pid = any(pg_blocking_pids(two.pid)) and two.pid = any(pg_blocking_pids(one.pid))
        where one.datname = current_database()`
      deadlocked += cycles.length
    }
    expect((await removals).map(({ status }) => status)).toEqual([200, 200])
    expect(deadlocked).toBe(0)
  })
})

describe.skipIf(postgresOfRun() === undefined)('a key for one project', () => {
  it('is issued after the removal that waited before it, and not for a project that is gone', async () => {
    const { call, other, waiting, ann, bob } = await start()
    // As an upload does.
    const holder = await other.reserve()
    await holder`begin`
    await holder`select from projects for share`
    const removal = call('DELETE', '/v1/projects/ann/texts', ann.key)
    await expect.poll(waiting).toBe(1)
    let isIssued = false
    const body = { key_handle: 'notebook', access: 'read', projects: ['ann/texts'] }
    const issuing = call('POST', '/v1/users/bob/keys', bob.key, body).finally(() => {
      isIssued = true
    })
    await expect.poll(async () => isIssued || (await waiting()) === 2).toBe(true)
    expect(isIssued, 'it overtook the removal').toBe(false)
    await holder`rollback`
    holder.release()
    expect((await removal).status).toBe(200)
    expect((await issuing).status).toBe(404)
    expect((await call('GET', '/v1/users/bob/keys', bob.key)).body).toEqual({ keys: [] })
  })
})
