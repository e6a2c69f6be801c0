import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { send, textIdsIn } from '../../support/data/embeddings.ts'
import {
  addProject,
  embedding,
  newProject,
  type Project,
  unique,
  upload,
} from '../../support/factories.ts'

const batch = (prefix: string) =>
  Array.from({ length: 40 }, (_, index) => embedding(`${prefix}-${index}`, [1, index, 0]))

it('of uploads of the same batch in opposite orders at the same time one succeeds, and none half', async () => {
  const project = await newProject()
  const items = batch('t')
  const uploads = Array.from({ length: 10 }, (_, index) => {
    const own = embedding(`own-${index}`, [1, 2, 3])
    return send(project, ...(index % 2 === 0 ? items : items.toReversed()), own)
  })
  const statuses = (await Promise.all(uploads)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
  const owns = (await textIdsIn(project)).filter((textId) => textId.startsWith('own'))
  expect(owns).toEqual([`own-${statuses.indexOf(201)}`])
})

describe('an upload while', () => {
  it('its project is deleted is stored or refused, and leaves nothing behind', async () => {
    const { owner } = await newProject()
    for (let round = 0; round < 5; round += 1) {
      const project = await addProject(owner, 'short-lived')
      const uploads = ['a', 'b', 'c', 'd'].map((prefix) => send(project, ...batch(prefix)))
      const deletion = call('DELETE', project.path(), owner)
      const statuses = (await Promise.all(uploads)).map(({ status }) => status)
      expect((await deletion).status).toBe(200)
      expect(statuses.filter((status) => ![201, 404].includes(status))).toEqual([])
      const again = await addProject(owner, 'short-lived')
      expect(await textIdsIn(again)).toEqual([])
      await call('DELETE', again.path(), owner)
    }
  })

  it('all embeddings are deleted is kept whole or not at all', async () => {
    const project = await newProject()
    await upload(project, ...batch('old'))
    const uploads = ['a', 'b', 'c'].map((prefix) => send(project, ...batch(prefix)))
    const deletion = call('DELETE', project.path('embeddings'), project.owner)
    const statuses = (await Promise.all(uploads)).map(({ status }) => status)
    expect(statuses).toEqual([201, 201, 201])
    const { body } = await deletion
    const left = (await textIdsIn(project)).length
    expect(body.deleted_count % 40).toBe(0)
    expect(left).toBe(160 - body.deleted_count)
  })

  it("its instance's dimensions change is stored with the old ones or refused", async () => {
    const project = await newProject()
    const instance = `/v1/llm-services/${project.owner.handle}/model`
    const uploads = ['a', 'b', 'c'].map((prefix) => send(project, ...batch(prefix)))
    const change = call('PATCH', instance, { ...project.owner, body: { dimensions: 4 } })
    const statuses = (await Promise.all(uploads)).map(({ status }) => status)
    const { status } = await change
    expect([200, 409]).toContain(status)
    const stored = (await textIdsIn(project)).length
    expect(stored).toBe(40 * statuses.filter((each) => each === 201).length)
    if (status === 200) expect(stored).toBe(0)
  })
})

const clients = 8

/** Clients that upload one batch after the other, without a pause, until `work` has ended. */
async function underUploads(project: Project, work: () => Promise<void>): Promise<number[]> {
  let ended = false
  const statuses: number[] = []
  const uploading = Array.from({ length: clients }, async () => {
    while (!ended) {
      const batch = Array.from({ length: 20 }, () => embedding(unique('t'), [1, 2, 3]))
      statuses.push((await send(project, ...batch)).status)
    }
  })
  try {
    await work()
  } finally {
    ended = true
    await Promise.all(uploading)
  }
  return statuses
}

describe('while uploads overlap without a pause', () => {
  it('project and instance can be changed, and the project be emptied and deleted', async () => {
    const project = await newProject()
    const { key, handle } = project.owner
    const instance = `/v1/llm-services/${handle}/model`
    const statuses = await underUploads(project, async () => {
      for (let round = 0; round < 3; round += 1) {
        const changes: [string, string, object][] = [
          ['PATCH', instance, { description: `round ${round}` }],
          ['PATCH', project.path(), { description: `round ${round}` }],
          ['PUT', project.path(), { instance_owner: handle, instance_handle: 'model' }],
        ]
        for (const [method, path, body] of changes) {
          expect((await call(method, path, { key, body })).status, `${method} ${path}`).toBe(200)
        }
        expect((await call('DELETE', project.path('embeddings'), { key })).status).toBe(200)
      }
      expect((await call('DELETE', project.path(), { key })).status).toBe(200)
    })
    expect(new Set(statuses)).toEqual(new Set([201, 404]))
  })

  it('their owner can be removed', async () => {
    const project = await newProject()
    const statuses = await underUploads(project, async () => {
      const removal = asAdmin('DELETE', `/v1/users/${project.owner.handle}`)
      expect((await removal).status).toBe(200)
    })
    // Without a user the key is nobody's.
    expect([...new Set(statuses)].filter((status) => ![201, 401, 404].includes(status))).toEqual([])
  })
})
