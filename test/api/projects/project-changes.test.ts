import { beforeEach, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
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
  it('keeps the embeddings', async () => {
    await upload(project, embedding('a', [1, 0, 0]))
    expect((await put(reference)).status).toBe(200)
    const { key } = project.owner
    expect((await call('GET', `${project.path('embeddings')}/a`, { key })).status).toBe(200)
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
  it('opens and closes the project to readers without a key', async () => {
    expect((await call('GET', project.path())).status).toBe(200)
    await patch({ public_read: false })
    expect((await call('GET', project.path())).status).toBe(401)
    await patch({ public_read: true })
    expect((await call('GET', project.path())).status).toBe(200)
  })
})

describe('deleting a project', () => {
  it('takes the embeddings along', async () => {
    await upload(project, embedding('a', [1, 0, 0]))
    const { owner } = project
    expect((await call('DELETE', project.path(), owner)).status).toBe(200)
    const detail = `Project '${owner.handle}/texts' not found`
    for (const path of [project.path('embeddings'), `${project.path()}/shared-with`]) {
      expect(await call('GET', path, owner), path).toMatchObject({ status: 404, body: { detail } })
    }
    expect((await put(reference)).status).toBe(201)
    const { body } = await call('GET', project.path('embeddings'), owner)
    expect(body).toMatchObject({ embeddings: [], total_count: 0 })
  })
})
