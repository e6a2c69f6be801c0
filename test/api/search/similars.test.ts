import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { idsOf, resultsOf, searchBy, searchFrom } from '../../support/data/similars.ts'
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

it.each([[[1]], [[]], [[1, 2, 3]]])(
  'a search is refused with %j in two dimensions',
  async (vector) => {
    const project = await projectOf(...angles)
    const detail = `vector dimension mismatch: expected 2 dimensions, got ${vector.length}`
    const answer = await searchBy(project, vector)
    expect(answer).toMatchObject({ status: 400, body: { title: 'Bad Request', detail } })
  },
)

async function projectOfTwo() {
  const project = await newProject({}, { dimensions: 2 })
  await upload(project, embedding('a', [1, 0]), embedding('b', [1, 0.1]))
  return project
}

describe('the answer of a search', () => {
  it('names the schema, the owner and the project', async () => {
    const project = await projectOfTwo()
    for (const search of [searchFrom(project, 'a'), searchBy(project, [1, 0], { limit: 1 })]) {
      const { body } = await search
      expect(body).toEqual({
        $schema: expect.stringMatching(/^http:\/\/localhost:8880\//),
        user_handle: project.owner.handle,
        project_handle: 'texts',
        results: [{ id: expect.any(String), similarity: expect.any(Number) }],
      })
    }
  })

  it('says in Server-Timing what it took', async () => {
    const project = await projectOfTwo()
    const { headers } = await searchBy(project, [1, 0])
    const parts = headers.get('server-timing') ?? ''
    const names = [...parts.matchAll(/([\w-]+);dur=\d+\.\d/g)].map(([, name]) => name)
    expect(names.sort()).toEqual(['access', 'body', 'database-exact', 'total'])
    const other = await call('GET', project.path(), project.owner)
    expect(other.headers.has('server-timing')).toBe(false)
  })

  it.each(['http://search.example.org', 'http://search.example.org:1234', 'https://[::1]:8443'])(
    'has its schema on the host of the request: %s',
    async (host) => {
      const project = await projectOfTwo()
      const path = `${project.path('similars')}/a?limit=1`
      const { body } = await call('GET', host + path, project.owner)
      expect(new URL(body.$schema).origin).toBe(host)
      expect(body.$schema).not.toContain('?')
      expect((await call('GET', body.$schema)).status).toBe(200)
    },
  )

  it('has its schema there whatever anybody says was forwarded', async () => {
    const project = await projectOfTwo()
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' }
    const { key } = project.owner
    const { body } = await call('GET', `${project.path('similars')}/a`, { key, headers })
    expect(new URL(body.$schema).origin).toBe('http://localhost:8880')
  })

  it('satisfies that schema, which wrong answers do not', async () => {
    const project = await projectOfTwo()
    const { body } = await searchFrom(project, 'a')
    const schema = await call('GET', body.$schema)
    expect(schema.headers.get('content-type')).toBe('application/schema+json')
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema.body)
    expect(validate(body), JSON.stringify(validate.errors)).toBe(true)
    const empty = await searchBy(await addProject(project.owner, 'empty'), [1, 0])
    expect(validate(empty.body)).toBe(true)
    for (const wrong of [
      {},
      { ...body, results: undefined },
      { ...body, results: [{ id: 'a' }] },
      { ...body, results: [{ id: 'a', similarity: 1.5 }] },
      { ...body, results: [{ id: 7, similarity: 0.5 }] },
    ]) {
      expect(validate(JSON.parse(JSON.stringify(wrong)))).toBe(false)
    }
  })
})
