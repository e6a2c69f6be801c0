import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

describe('requests that look harmless', () => {
  it('do not delete everything by a parameter without a name', async () => {
    const project = await newProject()
    const { key } = project.owner
    await upload(project, embedding('a', [1, 2, 3]))
    const answer = await call('DELETE', `${project.path('embeddings')}?=a`, { key })
    expect(answer).toMatchObject({ status: 400, body: { detail: 'A query parameter has no name' } })
    const listed = await call('GET', project.path('embeddings'), { key })
    expect(listed.body.total_count).toBe(1)
  })

  it('do not keep the parser busy with millions of empty objects', async () => {
    const raw = `{"x":[${'[],'.repeat(1_000_000)}[]],"embeddings":[]}`
    const project = await newProject()
    const answer = await asAdmin('POST', project.path('embeddings'), { raw })
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toContain('may hold 50000 values')
  })
})
