import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { queryFor, textIdsIn } from '../../support/data/embeddings.ts'
import { embedding, newProject, newSharee, type Project, upload } from '../../support/factories.ts'

async function projectOf(...textIds: string[]): Promise<Project> {
  const project = await newProject()
  await upload(project, ...textIds.map((textId) => embedding(textId, [1, 2, 3])))
  return project
}

const remove = (project: Project, rest = '', { key } = project.owner) =>
  call('DELETE', project.path('embeddings') + rest, { key })

describe('deleting one embedding', () => {
  it.each(['/b', '?text_id=b'])('by %s leaves the others', async (rest) => {
    const project = await projectOf('a', 'b', 'c')
    const answer = await remove(project, rest)
    expect(answer).toMatchObject({ status: 200, body: { message: "Embedding 'b' deleted" } })
    expect(await textIdsIn(project)).toEqual(['a', 'c'])
  })
})

describe('deleting all embeddings', () => {
  it('answers how many there were, can be tried before, and keeps the project', async () => {
    const project = await projectOf('a', 'b', 'c')
    const dry = '?dry_run=true'
    const message = '3 embeddings would be deleted'
    const tried = await remove(project, dry)
    expect([tried.status, tried.body]).toEqual([
      200,
      { message, matched_count: 3, deleted_count: 0 },
    ])
    const editor = await newSharee(project, 'editor')
    expect((await remove(project, dry, editor)).status).toBe(403)
    expect((await remove(project, `${dry}&text_id=b`, editor)).body).toEqual({
      ...{ message: "Embedding 'b' would be deleted", matched_count: 1, deleted_count: 0 },
    })
    expect((await remove(project, `${dry}&text_id=none`)).status).toBe(404)
    // Where it is not known it must not pass for nothing.
    expect((await remove(project, `/b${dry}`)).status).toBe(400)
    expect(await textIdsIn(project)).toHaveLength(3)
    const gone = { message: '3 embeddings deleted', matched_count: 3, deleted_count: 3 }
    expect(await remove(project)).toMatchObject({ status: 200, body: gone })
    expect(await textIdsIn(project)).toEqual([])
    expect((await remove(project)).body.deleted_count).toBe(0)
    await upload(project, embedding('a', [1, 2, 3]))
  })

  it.each([
    ...['?textid=a', '?text_ID=a', '?limit=1', '?metadata_path=x', '?text_id=a&limit=1'],
    ...['?text_id=a&text_id=b', '?text_id=', '?text_id', '?text_id[]=a', '?text_id%00=a'],
    ...['?__proto__=a', '?constructor=a'],
  ])('does not happen with %s', async (query) => {
    const project = await projectOf('a', 'b')
    expect((await remove(project, query)).status).toBe(400)
    const editor = await newSharee(project, 'editor')
    expect([400, 403]).toContain((await remove(project, query, editor)).status)
    expect(await textIdsIn(project)).toEqual(['a', 'b'])
  })

  it('does not happen for a text_id that URLs resolve away', async () => {
    const project = await projectOf('a', 'b')
    for (const textId of ['.', '..', '']) {
      expect((await remove(project, `/${textId}`)).status).toBe(404)
    }
    expect((await call('DELETE', queryFor(project, '..'), project.owner)).status).toBe(404)
    expect(await textIdsIn(project)).toEqual(['a', 'b'])
  })
})
