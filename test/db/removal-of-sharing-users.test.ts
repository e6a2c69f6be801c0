import { describe, expect, it } from 'vitest'
import { adminKey } from '../support/app.ts'
import { askerOf, makeProject } from '../support/servers/own-projects.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'
import { startWatchedService } from '../support/servers/watched-service.ts'

/** A service with two users, who have an instance and a project each. */
async function start() {
  const service = await startWatchedService()
  const newOwner = async (handle: string) => {
    await makeProject(askerOf(service), `${handle}/texts`, 3)
    return { handle, key: await service.newUser(handle) }
  }
  return { ...service, both: [await newOwner('ann'), await newOwner('bob')] }
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
    const { call, other, waiting, both } = await start()
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
