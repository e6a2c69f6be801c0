import { beforeEach, describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { expectRefused, unstorable } from '../../support/data/refusals.ts'
import {
  embedding,
  newInstance,
  newProject,
  type Project,
  upload,
} from '../../support/factories.ts'

const whole = {
  description: 'Old',
  public_read: true,
  metadataScheme: '{"type":"object"}',
  reading_order: ['ref.book', 'ref.verse'],
}
const badFields = {
  project_handle: ['other', 'Texts', 5, null],
  description: [5, {}, 'd'.repeat(10_001), ...unstorable],
  public_read: ['true', 1, 0, []],
  metadataScheme: [5, { type: 'object' }, true, ...unstorable],
  reading_order: ['ref', [], [5], [''], Array(9).fill('a'), ['a'.repeat(1_001)], [unstorable[0]]],
}
let project: Project
let reference: { instance_owner: string; instance_handle: string }

beforeEach(async () => {
  project = await newProject(whole)
  reference = { instance_owner: project.owner.handle, instance_handle: 'model' }
})

const send = (method: string) => (body: object) =>
  call(method, project.path(), { key: project.owner.key, body })
const put = send('PUT')
const patch = send('PATCH')
const get = async () => (await call('GET', project.path(), { key: project.owner.key })).body

describe('PUT of a project', () => {
  it('creates it, with the handle of the path', async () => {
    const { key } = project.owner
    const path = `${project.path()}-2`
    const created = await call('PUT', path, { key, body: { ...reference, ...whole } })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ project_handle: 'texts-2', ...reference, ...whole })
    expect(Object.keys(created.body)).not.toContain('created_at')
    for (const handle of ['_mine', '.mine', 'h'.repeat(101), 'a%20b']) {
      const path = `/v1/projects/${project.owner.handle}/${handle}`
      expect((await call('PUT', path, { key, body: reference })).status, handle).toBe(400)
    }
  })

  it('replaces its own fields: absent ones become empty', async () => {
    const {
      description: _,
      metadataScheme: __,
      reading_order: ___,
      created_at,
      ...shown
    } = await get()
    const { model, dimensions, embeds_texts, text_queries, embedding_count, ...rest } = shown
    const replaced = await put({ project_handle: 'texts', ...reference })
    expect(replaced.status).toBe(200)
    expect(replaced.body).toEqual({ ...rest, public_read: false })
    const read = { model, dimensions, embeds_texts, text_queries, embedding_count, created_at }
    expect(await get()).toEqual({ ...replaced.body, ...read })
    expect((await put({ ...reference, ...whole })).body).toEqual({ ...replaced.body, ...whole })
  })

  it('keeps the embeddings', async () => {
    await upload(project, embedding('a', [1, 0, 0]))
    expect((await put(reference)).status).toBe(200)
    const { key } = project.owner
    expect((await call('GET', `${project.path('embeddings')}/a`, { key })).status).toBe(200)
  })

  it("refuses what is missing or invalid, and another handle than the path's", async () => {
    const { key, handle } = project.owner
    await expectRefused(put, reference, {
      ...badFields,
      instance_owner: [undefined, null, 5],
      instance_handle: [undefined, null, 5],
    })
    expect((await call('GET', `/v1/projects/${handle}/other`, { key })).status).toBe(404)
    expect((await put({ ...reference, instance_handle: 'none' })).status).toBe(400)
    expect((await get()).instance_handle).toBe('model')
  })

  it('changes the instance while the project is empty', async () => {
    const { instance_id } = await newInstance(project.owner, { dimensions: 4 }, 'wide')
    const change = { ...reference, instance_handle: 'wide' }
    const changed = await put(change)
    expect(changed).toMatchObject({ status: 200, body: { ...change, instance_id } })
    expect(await get()).toMatchObject({ ...change, instance_id })
    await upload(project, embedding('a', [1, 0, 0, 0], { instance_handle: 'wide' }))
  })

  it('changes the instance of stored embeddings for one of the same dimensions only', async () => {
    const { owner } = project
    await newInstance(owner, { model: 'large' }, 'like')
    await newInstance(owner, { dimensions: 4 }, 'wide')
    await upload(project, embedding('a', [1, 0, 0]))
    const before = await get()
    const change = { ...whole, ...reference, instance_handle: 'like' }
    expect((await put({ ...change, instance_handle: 'wide' })).status).toBe(409)
    expect(await get()).toEqual(before)
    expect(await put(change)).toMatchObject({ status: 200, body: { instance_handle: 'like' } })
    const { key } = owner
    const path = `/v1/llm-services/${owner.handle}/like`
    const resized = await call('PATCH', path, { key, body: { dimensions: 4 } })
    expect(resized.status).toBe(409)
    await call('DELETE', project.path('embeddings'), { key })
    expect((await put({ ...change, instance_handle: 'wide' })).status).toBe(200)
  })
})

describe('PATCH of a project', () => {
  it('changes the given fields only', async () => {
    const before = await get()
    const described = await patch({ description: 'New', project_handle: 'texts' })
    expect(described.status).toBe(200)
    expect(described.body).toEqual({ ...before, description: 'New' })
    expect((await patch({})).body).toEqual(described.body)
    const hidden = await patch({ public_read: false })
    expect(hidden.body).toEqual({ ...described.body, public_read: false })
    const scheme = await patch({ metadataScheme: '{}' })
    expect(scheme.body).toEqual({ ...hidden.body, metadataScheme: '{}' })
    expect(await get()).toEqual(scheme.body)
  })

  it('clears what is null', async () => {
    const { description: _, metadataScheme: __, ...rest } = await get()
    const nulls = { description: null, metadataScheme: null, public_read: null }
    const { status, body } = await patch(nulls)
    expect(status).toBe(200)
    expect(body).toEqual({ ...rest, public_read: false })
    expect(await get()).toEqual(body)
  })

  it('refuses what is invalid', async () => {
    const before = await get()
    await expectRefused(patch, {}, badFields)
    expect(await get()).toEqual(before)
  })

  it('opens and closes the project to readers without a key', async () => {
    expect((await call('GET', project.path())).status).toBe(200)
    await patch({ public_read: false })
    expect((await call('GET', project.path())).status).toBe(401)
    await patch({ public_read: true })
    expect((await call('GET', project.path())).status).toBe(200)
  })
})

describe('deleting a project', () => {
  it('is answered with a message, and takes the embeddings along', async () => {
    await upload(project, embedding('a', [1, 0, 0]))
    const { owner } = project
    const { key } = owner
    const deleted = await call('DELETE', project.path(), { key })
    expect(deleted.status).toBe(200)
    const name = `${owner.handle}/texts`
    expect(deleted.body.message).toContain(name)
    const problem = { status: 404, body: { detail: `Project '${name}' not found` } }
    for (const [method, path] of [
      ['GET', project.path()],
      ['DELETE', project.path()],
      ['GET', project.path('embeddings')],
      ['GET', `${project.path()}/shared-with`],
    ] as const) {
      expect(await call(method, path, { key }), `${method} ${path}`).toMatchObject(problem)
    }
    expect(await patch({})).toMatchObject(problem)
    expect(await asAdmin('GET', project.path())).toMatchObject(problem)
    expect((await put(reference)).status).toBe(201)
    const { body } = await call('GET', project.path('embeddings'), { key })
    expect(body).toMatchObject({ embeddings: [], total_count: 0 })
  })
})
