import { describe, expect, it } from 'vitest'
import { askerOf, makeProject } from '../support/servers/own-projects.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'
import { startWatchedService } from '../support/servers/watched-service.ts'

describe.skipIf(postgresOfRun() === undefined)('a key for one project', () => {
  it('is issued after the removal that waited before it, and not for a project that is gone', async () => {
    const service = await startWatchedService()
    const { call, newUser, other, waiting } = service
    const [ann, bob] = [await newUser('ann'), await newUser('bob')]
    await makeProject(askerOf(service), 'ann/texts', 3, { public_read: true })
    // As an upload does.
    const holder = await other.reserve()
    await holder`begin`
    await holder`select from projects for share`
    const removal = call('DELETE', '/v1/projects/ann/texts', ann)
    await expect.poll(waiting).toBe(1)
    let isIssued = false
    const body = { key_handle: 'notebook', access: 'read', projects: ['ann/texts'] }
    const issuing = call('POST', '/v1/users/bob/keys', bob, body).finally(() => {
      isIssued = true
    })
    await expect.poll(async () => isIssued || (await waiting()) === 2).toBe(true)
    expect(isIssued, 'it overtook the removal').toBe(false)
    await holder`rollback`
    holder.release()
    expect((await removal).status).toBe(200)
    expect((await issuing).status).toBe(404)
    expect((await call('GET', '/v1/users/bob/keys', bob)).body).toEqual({ keys: [] })
  })
})
