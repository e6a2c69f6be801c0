import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { queryFor, read } from '../../support/data/embeddings.ts'
import { idsOf, resultsOf, search, searchBy, searchFrom } from '../../support/data/similars.ts'
import { addProject, embedding, newProject, upload } from '../../support/factories.ts'

/** Directions at known angles to the first: cosines 1, 0.8, 0.6, 0, -1. */
const angles = [
  embedding('first', [1, 0]),
  embedding('eight', [0.8, 0.6]),
  embedding('six', [0.6, 0.8]),
  embedding('right-angle', [0, 1]),
  embedding('opposite', [-1, 0]),
]

async function projectOf(...items: ReturnType<typeof embedding>[]) {
  const project = await newProject({}, { dimensions: 2 })
  await upload(project, ...items)
  return project
}

const near = (similarity: number) => expect.closeTo(similarity, 6)

describe('a search', () => {
  it('ranks the others by cosine similarity, above 0.5 by default', async () => {
    const project = await projectOf(...angles)
    const expected = [
      { id: 'eight', similarity: near(0.8) },
      { id: 'six', similarity: near(0.6) },
    ]
    expect(await resultsOf(searchFrom(project, 'first'))).toEqual(expected)
    const first = { id: 'first', similarity: 1 }
    expect(await resultsOf(searchBy(project, [5, 0]))).toEqual([first, ...expected])
  })

  it('never returns what points away, whatever the threshold', async () => {
    const project = await projectOf(...angles, embedding('away', [-1e-5, 1]))
    const expected = ['eight', 'six', 'right-angle']
    for (const query of [{}, { exact: 'true' }]) {
      const all = { threshold: 0, limit: 200, ...query }
      expect(await idsOf(searchFrom(project, 'first', all))).toEqual(expected)
      const self = { ...all, include_self: 'true' }
      expect(await idsOf(searchFrom(project, 'first', self))).toEqual(['first', ...expected])
      expect(await idsOf(searchBy(project, [5, 0], all))).toEqual(['first', ...expected])
    }
    expect(await idsOf(searchFrom(project, 'opposite', { threshold: 0 }))).toEqual([
      'away',
      'right-angle',
    ])
  })

  it('takes rounding noise below 0 for 0', async () => {
    const project = await projectOf(
      embedding('b', [-1e-7, 1]),
      embedding('a', [-2e-7, 1]),
      embedding('c', [0, 1]),
    )
    expect(await resultsOf(searchBy(project, [1, 0], { threshold: 0 }))).toEqual([
      { id: 'a', similarity: 0 },
      { id: 'b', similarity: 0 },
      { id: 'c', similarity: 0 },
    ])
  })

  it('answers 200 when nothing is similar or nothing is stored', async () => {
    const project = await projectOf(embedding('a', [1, 0]), embedding('b', [-1, 0]))
    expect(await resultsOf(searchFrom(project, 'a'))).toEqual([])
    const empty = await addProject(project.owner, 'empty')
    expect(await resultsOf(searchBy(empty, [1, 0], { threshold: 0 }))).toEqual([])
  })

  it('leaves out the document itself, and nothing else of its direction', async () => {
    const project = await projectOf(embedding('a', [1, 0]), embedding('b', [1, 0]))
    expect(await idsOf(searchFrom(project, 'a'))).toEqual(['b'])
    expect(await idsOf(searchFrom(project, 'a', { include_self: 'false' }))).toEqual(['b'])
    const both = await resultsOf(searchFrom(project, 'b', { include_self: 'true' }))
    expect(both).toEqual([
      { id: 'a', similarity: 1 },
      { id: 'b', similarity: 1 },
    ])
  })

  it('looks at its own project only', async () => {
    const project = await projectOf(...angles)
    const other = await addProject(project.owner, 'other')
    await upload(other, embedding('elsewhere', [1, 0]), embedding('first', [0, 1]))
    expect(await idsOf(searchFrom(project, 'first', { threshold: 0 }))).not.toContain('elsewhere')
    expect(await idsOf(searchFrom(other, 'first', { threshold: 0 }))).toEqual(['elsewhere'])
  })

  it('by ?text_id= answers as by path', async () => {
    const project = await projectOf(...angles)
    const byPath = await searchFrom(project, 'six', { threshold: 0 })
    const path = `${queryFor(project, 'six', 'similars')}&threshold=0`
    expect((await read(project, path)).body).toEqual(byPath.body)
    const self = await read(project, `${path}&include_self=true`)
    expect(self.body.results[0]).toEqual({ id: 'six', similarity: near(1) })
  })

  it('may be forced to be exact', async () => {
    const project = await projectOf(...angles)
    for (const exact of ['true', 'false']) {
      expect((await resultsOf(searchFrom(project, 'first', { exact }))).length).toBe(2)
      expect((await resultsOf(searchBy(project, [1, 0], { exact }))).length).toBe(3)
    }
    expect((await searchFrom(project, 'first', { exact: 'maybe' })).status).toBe(400)
    expect((await searchFrom(project, 'first', { include_self: '1' })).status).toBe(400)
  })

  it('goes on from a document after its instance is gone, though not by vector', async () => {
    const lender = await newProject({}, { dimensions: 2 })
    const project = await projectOf(...angles)
    const { key, handle } = project.owner
    const share = { share_with_handle: handle, role: 'reader' }
    const path = `/v1/llm-services/${lender.owner.handle}/model`
    await call('POST', `${path}/share`, { key: lender.owner.key, body: share })
    const body = { instance_owner: lender.owner.handle, instance_handle: 'model' }
    expect((await call('PUT', project.path(), { key, body })).status).toBe(200)
    await call('DELETE', `/v1/users/${lender.owner.handle}`, lender.owner)
    expect(await idsOf(searchFrom(project, 'first'))).toEqual(['eight', 'six'])
    const byVector = await searchBy(project, [1, 0])
    expect(byVector.status).toBe(400)
    expect(byVector.body.detail).toMatch(/has no LLM service instance/)
  })
})

describe('a search is refused', () => {
  it('without a text_id in path or query', async () => {
    const project = await projectOf(...angles)
    const { status, body } = await read(project, project.path('similars'))
    expect(status).toBe(400)
    expect(body.detail).toBe('text_id or words is required')
  })

  it.each([[[1]], [[]], [[1, 2, 3]]])('with %j in two dimensions', async (vector) => {
    const project = await projectOf(...angles)
    const detail = `vector dimension mismatch: expected 2 dimensions, got ${vector.length}`
    const answer = await searchBy(project, vector)
    expect(answer).toMatchObject({ status: 400, body: { title: 'Bad Request', detail } })
  })

  it('without a vector in the body', async () => {
    const project = await projectOf(...angles)
    const answer = await search(project, {})
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toMatch(/^vector/)
  })
})
