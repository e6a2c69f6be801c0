import { and, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { projectShares, projects, users } from '../../../src/db/schema.ts'
import { testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { expectRefused, unstorable } from '../../support/data/refusals.ts'
import {
  addProject,
  embedding,
  newInstance,
  newProject,
  newSharee,
  newUser,
  type Project,
  share,
  type User,
  upload,
} from '../../support/factories.ts'

let project: Project
let heir: User

beforeEach(async () => {
  project = await newProject({ description: 'Verses', metadataScheme: '{"type":"object"}' })
  heir = await newUser('heir')
  await upload(project, embedding('a', [1, 0, 0], { text: 'A' }), embedding('b', [1, 1, 0]))
})

const transfer = (body: object) =>
  call('POST', `${project.path()}/transfer-ownership`, { key: project.owner.key, body })
const transferTo = (handle: string) => transfer({ new_owner_handle: handle })
const moved = (collection = 'projects') => `/v1/${collection}/${heir.handle}/${project.handle}`
const read = async (path: string, { key }: User) => (await call('GET', path, { key })).body

describe('transferring a project', () => {
  it('is answered with its new path, where it is whole', async () => {
    const { owner } = project
    const before = await read(project.path(), owner)
    const embeddings = await read(project.path('embeddings'), owner)
    const { status, body } = await transferTo(heir.handle)
    expect(status).toBe(200)
    expect(body).toEqual({
      message: expect.any(String),
      old_owner: owner.handle,
      new_owner: heir.handle,
      project_handle: project.handle,
      new_path: expect.stringContaining(`/${heir.handle}/${project.handle}`),
    })
    expect(await read(moved(), heir)).toEqual({ ...before, owner: heir.handle })
    const inherited = embeddings.embeddings.map((each: object) => ({
      ...each,
      user_handle: heir.handle,
    }))
    expect((await read(moved('embeddings'), heir)).embeddings).toEqual(inherited)
  })

  it('takes all access from the old owner', async () => {
    const { owner } = project
    await transferTo(heir.handle)
    const { key } = owner
    expect((await call('GET', moved(), { key })).status).toBe(403)
    expect((await call('GET', moved('embeddings'), { key })).status).toBe(403)
    expect((await call('DELETE', moved(), { key })).status).toBe(403)
    expect((await call('GET', project.path(), { key })).status).toBe(404)
    const list = `/v1/projects/${owner.handle}?include_shared=true`
    expect(await read(list, owner)).toMatchObject({ projects: [], total_count: 0 })
    expect((await read(`${moved()}/shared-with`, heir)).shared_with).toEqual([])
    await addProject(owner, project.handle)
  })

  it('takes it also where the old owner had a share of what they owned', async () => {
    const { owner } = project
    // No request makes one: whoever shares holds the project, and its owner with it.
    const { database } = await testApp()
    const { db } = database.short
    const [owned] = await db
      .select({ sharedId: projects.projectId, userId: projects.ownerId })
      .from(projects)
      .innerJoin(users, eq(users.userId, projects.ownerId))
      .where(and(eq(users.handle, owner.handle), eq(projects.handle, project.handle)))
    if (owned === undefined) throw new Error('there is no such project')
    await db.insert(projectShares).values({ ...owned, role: 'editor' })
    await transferTo(heir.handle)
    expect((await call('GET', moved('embeddings'), { key: owner.key })).status).toBe(403)
    expect((await read(`${moved()}/shared-with`, heir)).shared_with).toEqual([])
  })

  it('keeps the shares of others, and ends the share of the new owner', async () => {
    const editor = await newSharee(project, 'editor')
    await share(project.path(), project.owner, heir)
    await transferTo(heir.handle)
    expect((await read(`${moved()}/shared-with`, heir)).shared_with).toEqual([
      { user_handle: editor.handle, role: 'editor' },
    ])
    const removed = await call('DELETE', `${moved('embeddings')}/a`, { key: editor.key })
    expect(removed.status).toBe(200)
  })

  it('keeps the instance usable there, but does not share it', async () => {
    const { owner } = project
    await transferTo(heir.handle)
    const inherited = { ...project, owner: heir, path: moved }
    await upload(inherited, embedding('c', [0, 0, 1]))
    const { key } = heir
    expect((await call('GET', `/v1/llm-services/${owner.handle}/model`, { key })).status).toBe(403)
    const body = { instance_owner: owner.handle, instance_handle: 'model', description: 'Mine' }
    expect(await call('PUT', moved(), { key, body })).toMatchObject({ status: 200, body })
    expect((await call('PUT', `${moved()}-2`, { key, body })).status).toBe(403)
    const used = await call('DELETE', `/v1/llm-services/${owner.handle}/model`, { key: owner.key })
    expect(used.status).toBe(409)
  })
})

describe('a transfer is refused', () => {
  it('to oneself, _system, nobody and unknown users', async () => {
    expect((await transferTo(project.owner.handle)).status).toBe(400)
    expect((await transferTo('_system')).status).toBe(400)
    for (const handle of ['no-such-user', '*']) {
      const detail = `User '${handle}' not found`
      const answer = await transferTo(handle)
      expect(answer).toMatchObject({ status: 404, body: { detail } })
    }
    const valid = { new_owner_handle: heir.handle }
    const bad = [undefined, null, 5, ['a'], 'h'.repeat(101), ...unstorable]
    await expectRefused(transfer, valid, { new_owner_handle: bad })
  })

  it('while the new owner has a project of the handle', async () => {
    await newInstance(heir)
    await addProject(heir, project.handle)
    const detail = `Project '${heir.handle}/${project.handle}' already exists`
    expect(await transferTo(heir.handle)).toMatchObject({ status: 409, body: { detail } })
    expect(await read(project.path('embeddings'), project.owner)).toMatchObject({ total_count: 2 })
    await call('DELETE', moved(), { key: heir.key })
    expect((await transferTo(heir.handle)).status).toBe(200)
  })
})
