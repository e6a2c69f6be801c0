import { Context } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Caller } from '../../../src/access/caller.ts'
import { requesterOf } from '../../../src/http/requester.ts'
import { testApp } from '../../support/app.ts'
import { asAdmin, call } from '../../support/client.ts'
import { keysOf, nameOf, show, statusOf } from '../../support/data/named-keys.ts'
import { expectRefused, refusal } from '../../support/data/refusals.ts'
import {
  embedding,
  newKey,
  newProject,
  newUser,
  type Project,
  unique,
} from '../../support/factories.ts'
import { recordedLog } from '../../support/log.ts'
import { startServiceOfAnn } from '../../support/servers/service-of-ann.ts'

const soon = (ms = 3_600_000) => new Date(Date.now() + ms).toISOString()

/** A key that was good when it was used, and soon comes to its end: as soon as this machine can use it before. */
async function usedKey(project: Project) {
  const { owner } = project
  for (let ms = 1_500; ; ms *= 2) {
    const handle = `short-${ms}`
    const body = { key_handle: handle, access: 'read', expires_at: soon(ms) }
    const { status, body: issued } = await call('POST', keysOf(owner), { key: owner.key, body })
    const key = String(issued.api_key)
    if (status !== 201 || (await statusOf(project, key)) !== 200) continue
    const patch = (changes: object) =>
      call('PATCH', keysOf(owner, handle), { key: owner.key, body: changes })
    return { key, patch }
  }
}

describe('a named key', () => {
  it('is shown when it is issued, and only then', async () => {
    const project = await newProject()
    const { owner } = project
    const body = {
      key_handle: 'notebook',
      description: 'For the seminar',
      access: 'read',
      projects: [nameOf(project)],
      expires_at: soon(),
    }
    const made = await call('POST', keysOf(owner), { key: owner.key, body })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(keysOf(owner, 'notebook'))
    const { api_key, ...shown } = made.body
    expect(api_key).toMatch(/^smb_[\w-]{49}$/)
    expect(shown).toEqual({ ...body, created_at: expect.any(String) })
    expect(await show(owner, 'notebook')).toEqual(shown)
    expect((await call('GET', keysOf(owner), { key: owner.key })).body).toEqual({ keys: [shown] })
    expect(await statusOf(project, api_key)).toBe(200)
  })

  it('and the first key leave each other as they are; both are gone with their user', async () => {
    const project = await newProject()
    const { owner } = project
    const key = await newKey(owner)
    const path = `/v1/users/${owner.handle}`
    expect((await asAdmin('PUT', path, { body: {} })).body.api_key).toBe(owner.key)
    const rotated = (await asAdmin('POST', `${path}/rotate-key`)).body.api_key
    expect((await asAdmin('GET', keysOf(owner))).body.keys).toHaveLength(1)
    const statuses = () =>
      Promise.all([owner.key, rotated, key].map((each) => statusOf(project, each)))
    expect(await statuses()).toEqual([401, 200, 200])
    expect((await asAdmin('DELETE', path)).status).toBe(200)
    expect(await statuses()).toEqual([401, 401, 401])
  })

  it('stops at once when another is issued in its place, with the same rights', async () => {
    const project = await newProject()
    const { owner } = project
    const old = await newKey(owner, { key_handle: 'notebook', projects: [nameOf(project)] })
    expect(await statusOf(project, old)).toBe(200)
    const before = await show(owner, 'notebook')
    const path = keysOf(owner, 'notebook', 'rotate')
    const { status, body } = await call('POST', path, { key: owner.key })
    expect([status, body]).toEqual([200, { ...before, api_key: expect.stringMatching(/^smb_/) }])
    expect(await statusOf(project, old)).toBe(401)
    expect(await statusOf(project, body.api_key)).toBe(200)
    const upload = { embeddings: [embedding('a', [1, 0, 0])] }
    const write = await call('POST', project.path('embeddings'), {
      key: body.api_key,
      body: upload,
    })
    expect(write.status).toBe(403)
  })

  it('stops at its end, also where it was just used, and is good again with a later end', async () => {
    const project = await newProject()
    const { key, patch } = await usedKey(project)
    await expect.poll(() => statusOf(project, key)).toBe(401)
    const refused = await call('GET', '/v1/me', { key })
    expect(refused.body.detail).toBe('Invalid or missing authorization credentials')
    expect((await patch({ description: 'Over' })).status).toBe(200)
    expect(await statusOf(project, key)).toBe(401)
    expect((await patch({ expires_at: null })).body).not.toHaveProperty('expires_at')
    expect(await statusOf(project, key)).toBe(200)
  })

  it('tells when it was last used, here at once, elsewhere when that was written down', async () => {
    const project = await newProject()
    const { owner } = project
    const key = await newKey(owner, { key_handle: 'used' })
    expect(await show(owner, 'used')).not.toHaveProperty('last_used_at')
    const before = Date.now()
    await statusOf(project, key)
    const { last_used_at } = await show(owner, 'used')
    expect(Date.parse(last_used_at)).toBeGreaterThanOrEqual(before)
    const { keyUses, database } = await testApp()
    await keyUses.write()
    expect(await show(owner, 'used')).toMatchObject({ last_used_at })
    const [row] = await database.short.db.execute<{ at: string }>(
      `select last_used_at as at from user_keys k join users u using (user_id) where u.user_handle = '${owner.handle}'`,
    )
    expect(Date.parse(String(row?.at))).toBe(Date.parse(last_used_at))
  })

  it('is known to the caller by its name', async () => {
    const { owner } = await newProject()
    const key = await newKey(owner, { key_handle: 'notebook', projects: [`${owner.handle}/texts`] })
    const me = await call('GET', '/v1/me', { key })
    expect(me.body).toMatchObject({
      user_handle: owner.handle,
      is_admin: false,
      key: { key_handle: 'notebook', access: 'read', is_limited: true },
    })
    expect((await call('GET', '/v1/me', { key: owner.key })).body).not.toHaveProperty('key')
  })
})

describe('all keys of a user', () => {
  it('have one limit of requests, and the log names the key', async () => {
    const { log, lines } = recordedLog()
    const { call, key: first, close } = await startServiceOfAnn({ rateLimit: 4, log })
    onTestFinished(close)
    const issued = async (key_handle: string): Promise<string> => {
      const body = { key_handle, access: 'read' }
      return (await call('POST', '/v1/users/ann/keys', { key: first, body })).body.api_key
    }
    const [one, two] = [await issued('one'), await issued('two')]
    lines.splice(0)
    const statuses: number[] = []
    for (const key of [one, two, one, two, first]) {
      statuses.push((await call('GET', '/v1/me', { key })).status)
    }
    expect(statuses).toEqual([200, 200, 429, 429, 429])
    expect(lines.map(({ key }) => key)).toEqual(['one', 'two', 'one', 'two', undefined])
  })

  it('have one fair part', () => {
    const request = (key: string) =>
      new Context(new Request('http://localhost', { headers: { Authorization: `Bearer ${key}` } }))
        .req
    const nameOf = (key: string, caller: Caller) => requesterOf(request(key), 'ann', caller).name
    const ann: Caller = { kind: 'user', userId: 5, handle: 'ann', key: undefined }
    expect(nameOf('one', ann)).toBe(nameOf('two', ann))
    expect(nameOf('one', ann)).not.toBe(nameOf('one', { ...ann, userId: 6 }))
  })
})

describe('issuing a key', () => {
  it('is refused for what it may not be', async () => {
    const project = await newProject()
    const { owner } = project
    const secret = await newProject()
    const good = { key_handle: 'good', access: 'read' }
    const many = Array.from({ length: 101 }, (_, index) => `${owner.handle}/p${index}`)
    const name = nameOf(project)
    await expectRefused((body) => call('POST', keysOf(owner), { key: owner.key, body }), good, {
      key_handle: [undefined, '', 'a b', '_own', 'a/b', 'a.b', 'x'.repeat(101), 5, null],
      access: [undefined, '', 'full', 'admin', 'READ', null, true, ['read']],
      projects: [null, [], name, [''], ['texts'], ['a/b/c'], [5], many, [name, nameOf(secret)]],
      expires_at: ['', 'tomorrow', '2026-01-01', 0, '2026-02-30T00:00:00Z', soon(-1_000)],
      description: [5, 'x'.repeat(10_001)],
    })
    for (const misspelt of ['project', 'expires', 'scope', 'expiresAt']) {
      const body = { ...good, [misspelt]: 'x' }
      expect(await call('POST', keysOf(owner), { key: owner.key, body })).toMatchObject(
        refusal(400, misspelt),
      )
    }
    const { keys } = (await call('GET', keysOf(owner), { key: owner.key })).body
    expect(keys).toEqual([{ ...good, created_at: expect.any(String) }])
  })

  it('does not tell whether a project of others exists', async () => {
    const { owner } = await newProject()
    const secret = await newProject()
    const answerTo = async (name: string) => {
      const body = { key_handle: 'k', access: 'read', projects: [name] }
      const { status, body: answer } = await call('POST', keysOf(owner), { key: owner.key, body })
      return { status, detail: answer.detail.replace(name, '…') }
    }
    const there = await answerTo(nameOf(secret))
    expect(there.status).toBe(400)
    for (const name of [`${secret.owner.handle}/missing`, 'missing/texts']) {
      expect(await answerTo(name)).toEqual(there)
    }
  })

  it('gives each handle once, and a hundred at most', async () => {
    const owner = await newUser()
    const issue = (key_handle: string) =>
      call('POST', keysOf(owner), { key: owner.key, body: { key_handle, access: 'read' } })
    expect((await issue('k0')).status).toBe(201)
    expect((await issue('k0')).status).toBe(409)
    const statuses: number[] = []
    // In turns of ten: more would wait for one another longer than a busy machine lets them.
    for (let turn = 0; turn < 11; turn += 1) {
      const handles = Array.from({ length: 10 }, (_, index) => `k${turn * 10 + index + 1}`)
      const answers = await Promise.all(handles.map(issue))
      statuses.push(...answers.map(({ status }) => status))
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(99)
    expect(statuses.filter((status) => status === 409)).toHaveLength(11)
    const revoked = await call('DELETE', keysOf(owner, 'k0'), { key: owner.key })
    expect(revoked.body.message).toBe(`Key '${owner.handle}/k0' revoked`)
    expect((await issue('again')).status).toBe(201)
  })
})

it('a changed key has another description or end, and never other rights', async () => {
  const project = await newProject()
  const { owner } = project
  const projects = [nameOf(project)]
  await newKey(owner, { key_handle: 'k', projects })
  await newKey(owner, { key_handle: 'all', access: 'write' })
  const patch = (body: object, handle = 'k') =>
    call('PATCH', keysOf(owner, handle), { key: owner.key, body })
  const expires_at = soon()
  const same = { key_handle: 'k', access: 'read', projects, description: 'New', expires_at }
  expect(await patch(same)).toMatchObject({ status: 200, body: same })
  const before = await show(owner, 'k')
  expect((await patch({})).body).toEqual(before)
  for (const other of [
    { access: 'write' },
    { projects: [] },
    { projects: [`${owner.handle}/other`] },
    { projects: null },
    { key_handle: 'other' },
    { expires_at: soon(-1) },
    { api_key: 'smb_mine' },
    { expires: expires_at },
  ]) {
    expect((await patch(other)).status, JSON.stringify(other)).toBe(400)
  }
  expect((await patch({ access: 'read' }, 'all')).status).toBe(400)
  expect((await patch({ projects }, 'all')).status).toBe(400)
  expect(await show(owner, 'k')).toEqual(before)
  expect((await patch({}, unique('missing'))).status).toBe(404)
})
