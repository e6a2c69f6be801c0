import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { collections } from '../../src/db/schema.ts'
import { testApp } from '../support/app.ts'
import { call } from '../support/client.ts'
import { pathTo, read } from '../support/data/embeddings.ts'
import { collectionOf } from '../support/data/indexed.ts'
import { embedding, newProject, type Project, upload } from '../support/factories.ts'

const stored = { text: 'A', metadata: { ref: { book: 'Mark', verse: 3 }, tags: ['x'] } }

async function oneEmbedding(fields: object = {}): Promise<Project> {
  const project = await newProject(fields)
  await upload(project, embedding('a', [1, 2, 3], stored))
  return project
}

const patch = (project: Project, body: object, query = '') =>
  call('PATCH', pathTo(project, 'a') + query, { key: project.owner.key, body })
const get = async (project: Project) => (await read(project, pathTo(project, 'a'))).body

async function revisionOf(project: Project) {
  const { db } = (await testApp()).database.short
  const [row] = await db
    .select({ revision: collections.revision, vectors: collections.vectors })
    .from(collections)
    .where(eq(collections.collectionId, await collectionOf(project)))
  return row
}

describe('PATCH of an embedding', () => {
  it('merges metadata, and answers the embedding as it is read', async () => {
    const project = await oneEmbedding()
    const before = await get(project)
    const answer = await patch(project, { metadata: { ref: { verse: 4 }, tags: null, n: 1 } })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ ...before, metadata: { ref: { book: 'Mark', verse: 4 }, n: 1 } })
    expect(answer.body).toEqual(await get(project))
  })

  it('replaces and removes the text, and leaves the metadata', async () => {
    const project = await oneEmbedding()
    expect((await patch(project, { text: 'B' })).body).toMatchObject({ ...stored, text: 'B' })
    const { body } = await patch(project, { text: null })
    expect(body).not.toHaveProperty('text')
    expect(body).toEqual(await get(project))
    expect(body).toMatchObject({ metadata: stored.metadata })
  })

  it('removes all metadata, and makes new ones', async () => {
    const project = await oneEmbedding()
    expect((await patch(project, { metadata: null })).body).not.toHaveProperty('metadata')
    expect(await get(project)).not.toHaveProperty('metadata')
    const { body } = await patch(project, { text: 'C', metadata: { a: { b: null, c: 1 } } })
    expect(body).toMatchObject({ text: 'C', metadata: { a: { c: 1 } } })
  })

  it('shows what include and vector_format ask for', async () => {
    const project = await oneEmbedding()
    const { body } = await patch(project, { text: 'B' }, '?include=text')
    expect(body).toMatchObject({ text_id: 'a', text: 'B', vector_dim: 3 })
    expect(body).not.toHaveProperty('vector')
    expect(body).not.toHaveProperty('metadata')
    const { vector } = (await patch(project, { text: 'C' }, '?vector_format=base64')).body
    expect(vector).toBe(Buffer.from(new Float32Array([1, 2, 3]).buffer).toString('base64'))
  })

  it('writes nothing where nothing changes', async () => {
    const project = await oneEmbedding()
    const before = await revisionOf(project)
    const same = { text: 'A', metadata: { ref: { verse: 3 }, absent: null } }
    for (const body of [same, { text: 'A' }, { metadata: {} }]) {
      expect((await patch(project, body)).body).toEqual(await get(project))
    }
    expect(await revisionOf(project)).toEqual(before)
    await patch(project, { text: 'B' })
    expect(await revisionOf(project)).toEqual({ revision: 2, vectors: 1 })
  })

  it('leaves the embedding to be found by its vector', async () => {
    const project = await oneEmbedding()
    await patch(project, { metadata: { n: 1 } })
    const path = `${pathTo(project, 'a', 'similars')}?include_self=true`
    expect((await read(project, path)).body.results).toEqual([{ id: 'a', similarity: 1 }])
  })

  it.each([
    [{}, 'text or metadata must be given'],
    [{ metdata: {} }, 'text or metadata must be given'],
    // As it was received.
    [{ text: 'B', vector: [1, 2, 3] }, undefined],
    [{ metadata: 'x' }, 'metadata: must be a JSON object'],
    [{ text: 'x'.repeat(1024 * 1024 - 20), metadata: {} }, undefined],
  ])('takes only what it knows', async (body, detail) => {
    const project = await oneEmbedding()
    const answer = await patch(project, body)
    if (detail === undefined) expect(answer.status).toBe(200)
    else expect(answer).toMatchObject({ status: 400, body: { detail } })
  })

  it('is refused where the merged metadata do not satisfy the metadataScheme', async () => {
    const scheme = { properties: { ref: { required: ['book'] } }, required: ['ref'] }
    const project = await oneEmbedding({ metadataScheme: JSON.stringify(scheme) })
    expect((await patch(project, { metadata: { ref: { verse: 9 } } })).status).toBe(200)
    for (const metadata of [{ ref: { book: null } }, null]) {
      const { status, body } = await patch(project, { metadata })
      expect({ status, detail: body.detail }).toEqual({
        status: 400,
        detail: expect.stringMatching(
          /^metadata validation failed for text_id 'a': the merged metadata does not satisfy the project's metadataScheme:\n {2}- /,
        ),
      })
    }
    expect((await get(project)).metadata).toEqual({ ref: { book: 'Mark', verse: 9 }, tags: ['x'] })
    expect((await patch(project, { text: 'only the text' })).status).toBe(200)
  })

  it('is refused where the merged metadata are too large', async () => {
    const project = await oneEmbedding()
    const half = 'x'.repeat(200 * 1024)
    expect((await patch(project, { metadata: { a: half } })).status).toBe(200)
    expect(await patch(project, { metadata: { b: half } })).toMatchObject({
      status: 400,
      body: { detail: 'metadata: must have at most 262144 bytes, also when it is merged' },
    })
  })

  it('loses none of those that come at the same time', async () => {
    const project = await oneEmbedding()
    const names = Array.from({ length: 12 }, (_, index) => `f${index}`)
    const answers = await Promise.all([
      ...names.map((name) => patch(project, { metadata: { [name]: 1 } })),
      patch(project, { text: 'new' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const { text, metadata } = await get(project)
    expect(Object.keys(metadata)).toEqual(expect.arrayContaining([...names, 'ref', 'tags']))
    expect(text).toBe('new')
    expect((await revisionOf(project))?.revision).toBe(1 + answers.length)
  })

  it('finds nothing where the project was emptied', async () => {
    const project = await oneEmbedding()
    await call('DELETE', project.path('embeddings'), { key: project.owner.key })
    expect((await patch(project, { text: 'B' })).status).toBe(404)
  })
})
