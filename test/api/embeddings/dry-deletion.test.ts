import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { textIdsIn } from '../../support/data/embeddings.ts'
import { embedding, newProject, newSharee, upload } from '../../support/factories.ts'

const dry = '?dry_run=true'

describe('deleting all embeddings', () => {
  it('can be tried before', async () => {
    const project = await newProject()
    await upload(project, ...['t0', 't1', 't2'].map((id) => embedding(id, [1, 0, 0])))
    const remove = (query = '', { key } = project.owner) =>
      call('DELETE', project.path('embeddings') + query, { key })

    const message = '3 embeddings would be deleted'
    const asked = await remove(dry)
    expect(asked.status).toBe(200)
    expect(asked.body).toEqual({ message, matched_count: 3, deleted_count: 0 })
    const editor = await newSharee(project, 'editor')
    expect((await remove(dry, editor)).status).toBe(403)
    expect((await remove(`${dry}&text_id=t1`, editor)).body).toEqual({
      message: "Embedding 't1' would be deleted",
      matched_count: 1,
      deleted_count: 0,
    })
    expect((await remove(`${dry}&text_id=none`)).status).toBe(404)
    // Where it is not known it must not pass for nothing.
    const one = `${project.path('embeddings')}/t1${dry}`
    expect((await call('DELETE', one, project.owner)).status).toBe(400)
    expect(await textIdsIn(project)).toHaveLength(3)
    expect((await remove()).body).toEqual({
      message: '3 embeddings deleted',
      matched_count: 3,
      deleted_count: 3,
    })
  })
})
