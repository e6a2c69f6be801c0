import { beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../support/client.ts'
import { idsOf, type Query, resultsOf, searchBy, searchFrom } from '../../support/data/similars.ts'
import { addProject, embedding, newProject, type Project, upload } from '../../support/factories.ts'

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
})

/** A dozen documents, each a little further from the first axis than the one before. */
async function fan() {
  const ids = Array.from({ length: 12 }, (_, index) => `t${String(index).padStart(3, '0')}`)
  return {
    project: await projectOf(...ids.map((id, index) => embedding(id, [1, index / 12]))),
    ids,
  }
}

describe.each<[string, (project: Project, query: Query) => Promise<Answer>]>([
  [
    'from a document',
    (project, query) => searchFrom(project, 't000', { ...query, include_self: 'true' }),
  ],
  ['by a vector', (project, query) => searchBy(project, [1, 0], query)],
])('a search %s', (_, search) => {
  it('takes count, limit, or the smaller of both, and 10 without', async () => {
    const { project, ids } = await fan()
    const sizes: [Query, number][] = [
      [{}, 10],
      [{ count: 3 }, 3],
      [{ limit: 4 }, 4],
      [{ count: 3, limit: 5 }, 3],
      [{ count: 5, limit: 3 }, 3],
      [{ count: 11 }, 11],
      [{ limit: 200 }, 12],
    ]
    for (const [query, size] of sizes) {
      expect(await idsOf(search(project, query)), JSON.stringify(query)).toEqual(ids.slice(0, size))
    }
  })
})

describe('the threshold', () => {
  let project: Project
  beforeAll(async () => {
    project = await projectOf(
      embedding('same', [3, 0]),
      embedding('half', [1, Math.sqrt(3)]),
      embedding('right-angle', [0, 1]),
      embedding('opposite', [-1, 0]),
    )
  })

  it.each<[threshold: string, ids: string[]]>([
    ['0', ['same', 'half', 'right-angle']],
    ['0.0', ['same', 'half', 'right-angle']],
    ['0.001', ['same', 'half']],
    ['0.5', ['same', 'half']],
    ['.5', ['same', 'half']],
    ['5e-1', ['same', 'half']],
    ['0.50001', ['same']],
    ['1', ['same']],
    ['1.0', ['same']],
  ])('%s is inclusive', async (threshold, ids) => {
    expect(await idsOf(searchBy(project, [1, 0], { threshold }))).toEqual(ids)
  })

  it.each([
    ...['', '-0.1', '1.1', '1.0000001', '2', 'NaN', 'Infinity', 'half', '0x1', '0,5', ' 0.5'],
    '1e400',
  ])('%j is refused', async (threshold) => {
    const detail = 'threshold must be between 0.0 and 1.0'
    const refusal = { status: 400, body: { title: 'Bad Request', detail } }
    expect(await searchBy(project, [1, 0], { threshold })).toMatchObject(refusal)
    expect(await searchFrom(project, 'same', { threshold })).toMatchObject(refusal)
  })
})

describe('a search is refused', () => {
  it.each([[[1]], [[]], [[1, 2, 3]]])('with %j in two dimensions', async (vector) => {
    const project = await projectOf(...angles)
    const detail = `vector dimension mismatch: expected 2 dimensions, got ${vector.length}`
    const answer = await searchBy(project, vector)
    expect(answer).toMatchObject({ status: 400, body: { title: 'Bad Request', detail } })
  })
})
