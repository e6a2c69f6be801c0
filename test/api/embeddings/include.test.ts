import { describe, expect, it } from 'vitest'
import { read } from '../../support/data/embeddings.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const vector = [1, -0.1, 1e-7]
const full = () => embedding('a', vector, { text: 'A', metadata: { n: 1 } })

async function oneEmbedding(): Promise<Project> {
  const project = await newProject()
  await upload(project, full())
  return project
}

/** The ways to read it, each with what the answer shows of the embedding. */
const ways: [string, (project: Project, query: string) => Promise<Record<string, unknown>>][] = [
  [
    'a list',
    async (project, query) =>
      (await read(project, `${project.path('embeddings')}?${query}`)).body.embeddings[0],
  ],
  [
    'a read by path',
    async (project, query) =>
      (await read(project, `${project.path('embeddings')}/a?${query}`)).body,
  ],
  [
    'a read by parameter',
    async (project, query) =>
      (await read(project, `${project.path('embeddings')}?text_id=a&${query}`)).body,
  ],
]

const parts = ['text', 'metadata', 'vector']
const base64 = Buffer.from(new Float32Array(vector).buffer).toString('base64')

describe.each(ways)('%s', (_, get) => {
  it.each([
    ['', []],
    ['text', ['text']],
    ['vector', ['vector']],
    ['metadata,text', ['metadata', 'text']],
    ['vector,metadata,text', parts],
  ])('has with include=%s only these parts', async (include, shown) => {
    const project = await oneEmbedding()
    const all = await get(project, 'vector_format=json')
    const answer = await get(project, `include=${include}`)
    const left = Object.entries(all).filter(
      ([name]) => !parts.includes(name) || shown.some((part) => part === name),
    )
    expect(answer).toEqual(Object.fromEntries(left))
    expect(answer).toMatchObject({ text_id: 'a', vector_dim: 3, created_at: expect.any(String) })
  })

  it('has vectors as base64 of little-endian float32 where that is asked for', async () => {
    const project = await oneEmbedding()
    const answer = await get(project, 'vector_format=base64')
    expect(answer).toEqual({ ...(await get(project, 'vector_format=json')), vector: base64 })
    expect(await get(project, 'vector_format=base64&include=vector')).toMatchObject({
      vector: base64,
    })
    expect(await get(project, 'vector_format=base64&include=text')).not.toHaveProperty('vector')
  })
})

it.each([
  ['include=metdata', "include has no 'metdata'; did you mean metadata?"],
  ['include=all', "include has no 'all'; known are text, metadata and vector"],
  ['include=text,', "include has no ''; known are text, metadata and vector"],
  ['include=text&include=vector', 'include must be given once, its names with commas between them'],
  ['vector_format=hex', 'vector_format must be json or base64'],
])('?%s is refused', async (query, detail) => {
  const project = await oneEmbedding()
  for (const path of ['', '/a']) {
    const answer = await read(project, `${project.path('embeddings')}${path}?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { detail } })
  }
})
