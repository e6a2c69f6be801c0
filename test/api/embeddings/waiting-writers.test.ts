import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { send } from '../../support/data/embeddings.ts'
import { embedding, newProject, type Project, unique } from '../../support/factories.ts'

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
