import { describe, expect, it } from 'vitest'
import { vectorToBase64 } from '../../../src/vectors/encoding.ts'
import { type Answer, call } from '../../support/client.ts'
import {
  found,
  resultsOf,
  search,
  searchBatch,
  searchBy,
  searchFrom,
} from '../../support/data/similars.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const mark = { ref: { book: 'Mark' } }
const luke = { ref: { book: 'Luke' } }

async function verses(): Promise<Project> {
  const project = await newProject({}, { dimensions: 2 })
  await upload(
    project,
    embedding('m1', [1, 0], { text: 'The "first"', metadata: mark }),
    embedding('m2', [1, 0.1], { text: 'second', metadata: mark }),
    embedding('l1', [1, 0.5], { metadata: luke }),
    embedding('l2', [0.5, 1], { text: 'fourth', metadata: luke }),
    embedding('x', [1, 2]),
  )
  return project
}

const searchWith = (project: Project, query: string, body: object): Promise<Answer> =>
  call('POST', project.path('similars') + query, { key: project.owner.key, body })

describe('include', () => {
  it('shows what is stored with a result, as it is', async () => {
    const project = await verses()
    const include = ['text', 'metadata', 'vector']
    const all = await found(project, { vector: [1, 0], include, threshold: 0 })
    expect(all).toEqual([
      { id: 'm1', similarity: 1, text: 'The "first"', metadata: mark, vector: [1, 0] },
      {
        id: 'm2',
        similarity: expect.any(Number),
        text: 'second',
        metadata: mark,
        vector: [1, 0.1],
      },
      { id: 'l1', similarity: expect.any(Number), metadata: luke, vector: [1, 0.5] },
      {
        id: 'l2',
        similarity: expect.any(Number),
        text: 'fourth',
        metadata: luke,
        vector: [0.5, 1],
      },
      { id: 'x', similarity: expect.any(Number), vector: [1, 2] },
    ])
    const query = { include: include.join(), limit: 1 }
    expect(await resultsOf(searchFrom(project, 'm2', query))).toEqual([all[0]].map(others))
    expect(await resultsOf(searchBy(project, [1, 0], query))).toEqual([all[0]])
  })

  it('shows texts of many megabytes, in order', async () => {
    const project = await newProject({}, { dimensions: 2 })
    const text = 'x'.repeat(500_000)
    for (let part = 0; part < 20; part += 1) {
      const id = `t${String(part).padStart(2, '0')}`
      await upload(project, embedding(id, [1, 0.01 * part], { text: `${part} ${text}` }))
    }
    const shown = await found(project, { vector: [1, 0], include: ['text'], limit: 20 })
    expect(shown.map(({ text }) => Number.parseInt(text, 10))).toEqual([...Array(20).keys()])
  })
})

const others = (found: object) => ({ ...found, similarity: expect.any(Number) })

describe('a search in a body', () => {
  it('takes a vector in base64', async () => {
    const project = await verses()
    const vector = vectorToBase64(Float32Array.of(1, 0))
    expect(await found(project, { vector })).toEqual(await found(project, { vector: [1, 0] }))
    expect(await search(project, { vector: 'AAAA' })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^vector: must be an array of numbers, or base64/) },
    })
  })

  it.each<[object, string, string]>([
    [{}, '', 'vector, text_id, text, like or words is required'],
    [{ vector: [1, 0], text_id: 'm1' }, '', 'give vector or text_id, not both'],
    [{ vector: [1, 0], limit: 201 }, '', 'limit: '],
    [{ vector: [1, 0], limit: '10' }, '', 'limit: '],
    [{ vector: [1, 0], include: ['texts'] }, '', "include: has no 'texts'; did you mean text?"],
    [{ vector: [1, 0], metadata_path: 'a' }, '', 'metadata_path requires metadata_value'],
    [{ vector: [1, 0], group_size: 2 }, '', 'group_size requires group_by'],
    [{ vector: [1, 0], limit: 3 }, '?limit=4', 'limit in the body differs from limit in the URL'],
    [{ vector: [1, 0], filter: { a: 1 } }, '?filter={"a":2}', 'filter in the body differs'],
    [{ vector: [1, 0], filters: {} }, '', "Unknown field 'filters': did you mean filter?"],
    [{ vector: [1, 0], where: {} }, '', "Unknown field 'where': did you mean filter?"],
    [{ vector: [1, 0], treshold: 1 }, '', "Unknown field 'treshold': did you mean threshold?"],
    [{ vector: [1, 0], k: 5 }, '', "Unknown field 'k': did you mean limit?"],
    [{ vector: [1, 0], top_k: 5 }, '', "Unknown field 'top_k': did you mean limit?"],
    [{ vector: [1, 0], n_results: 5 }, '', "Unknown field 'n_results': did you mean limit?"],
    [{ query_vector: [1, 0] }, '', "Unknown field 'query_vector': did you mean vector?"],
    [{ vector: [1, 0] }, '?exact=maybe', 'exact'],
    [{ vector: [1, 0] }, '?top_k=5', "Unknown query parameter 'top_k': did you mean limit?"],
  ])('%j%s is refused', async (body, query, detail) => {
    const project = await verses()
    expect(await searchWith(project, query, body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(detail) },
    })
  })

  it('may say what the URL says', async () => {
    const project = await verses()
    const body = { vector: [1, 0], limit: 1, filter: { 'ref.book': 'Luke' } }
    const query = '?limit=1&filter={"ref.book":{"$eq":"Luke"}}'
    const answer = await searchWith(project, query, body)
    expect(answer.body.results).toEqual([{ id: 'l1', similarity: expect.any(Number) }])
  })
})

describe('group_by', () => {
  const groups = async (project: Project, options: object) => {
    const body = { vector: [1, 0], threshold: 0, group_by: 'ref.book', ...options }
    return (await found(project, body)).map(({ id, group }) => [group, id])
  }

  it('finds the best of each value', async () => {
    const project = await verses()
    const all = [
      ['Mark', 'm1'],
      ['Luke', 'l1'],
      [null, 'x'],
    ]
    expect(await groups(project, {})).toEqual(all)
    expect(await groups(project, { limit: 2 })).toEqual(all.slice(0, 2))
    expect(await groups(project, { limit: 2, offset: 1 })).toEqual(all.slice(1))
    expect(await groups(project, { group_size: 2, limit: 2 })).toEqual([
      ['Mark', 'm1'],
      ['Mark', 'm2'],
      ['Luke', 'l1'],
      ['Luke', 'l2'],
    ])
    expect(await groups(project, { threshold: 0.99 })).toEqual([['Mark', 'm1']])
    expect(await groups(project, { filter: { 'ref.book': { $ne: 'Mark' } } })).toEqual(all.slice(1))
    const query = { group_by: 'ref.book', threshold: 0, include: 'text' }
    expect((await resultsOf(searchFrom(project, 'm2', query)))[0]).toEqual({
      id: 'm1',
      similarity: expect.any(Number),
      group: 'Mark',
      text: 'The "first"',
    })
  })
})

const notStorable = 'must not hold NUL characters or lone surrogates'
const odd = ['\0', 'a\0b', '\ud800', '\udc00x']

describe('what cannot be stored', () => {
  it.each([
    ['metadata_path', { metadata_value: 'x' }],
    ['metadata_value', { metadata_path: 'ref.book' }],
    ['group_by', {}],
  ])('is refused as %s, of one search and in a batch for its own', async (name, others) => {
    const project = await verses()
    for (const text of odd) {
      const bad = { vector: [1, 0], ...others, [name]: text }
      const { status, body } = await search(project, bad)
      expect([status, body.detail]).toEqual([400, `${name}: ${notStorable}`])
      const good = { vector: [1, 0], limit: 1 }
      const answer = await searchBatch(project, good, bad, good)
      expect(answer.status).toBe(200)
      const found = { results: [{ id: 'm1', similarity: 1 }] }
      const error = { status: 400, detail: `searches[1].${name}: ${notStorable}` }
      expect(answer.body.answers).toMatchObject([found, { error }, found])
    }
  })

  it('is refused as the field that neighbours differ in', async () => {
    const { owner, path } = await verses()
    for (const different of odd) {
      const send = { key: owner.key, body: { different } }
      const { status, body } = await call('POST', `${path('similars')}/neighbours`, send)
      expect([status, body.detail]).toEqual([400, `different: ${notStorable}`])
    }
  })
})

describe('a batch', () => {
  it('answers each search as it would be answered alone', async () => {
    const project = await verses()
    const searches = [
      { vector: [1, 0], limit: 2, include: ['text'], totals: true },
      { text_id: 'nobody' },
      { vector: [1, 2, 3] },
      { text_id: 'l2', filter: { 'ref.book': 'Mark' }, threshold: 0 },
      { text_id: 'l2', limit: 0 },
      5,
      { vector: vectorToBase64(Float32Array.of(0, 1)), include: ['vector', 'metadata'] },
    ]
    const { status, body } = await searchBatch(project, ...searches)
    expect(status).toBe(200)
    expect(body).toMatchObject({ user_handle: project.owner.handle, project_handle: 'texts' })
    expect(body.answers.length).toBe(searches.length)
    for (const [index, answer] of body.answers.entries()) {
      const alone = await search(project, Object(searches[index]))
      if (alone.status === 200) {
        expect(answer.results).toEqual(alone.body.results)
        expect(answer.total_similar).toBe(alone.body.total_similar)
        expect(answer.mode).toBe(alone.headers.get('x-search-mode'))
        expect(String(answer.hidden)).toBe(alone.headers.get('x-search-hidden'))
      } else expect(answer.error.status).toBe(alone.status)
    }
    expect(body.answers.map(({ error }: { error?: { status: number } }) => error?.status)).toEqual([
      ...[undefined, 404, 400, undefined, 400, 400, undefined],
    ])
  })

  it('refuses unknown fields, and says where they are', async () => {
    const project = await verses()
    const { body } = await searchBatch(project, { vector: [1, 0] }, { vector: [1, 0], where: {} })
    const [sound, odd] = body.answers
    expect(sound.results.length).toBeGreaterThan(0)
    const detail = "searches[1]: Unknown field 'where': did you mean filter?"
    expect(odd).toEqual({ error: { title: 'Bad Request', status: 400, detail } })
    const path = `${project.path('similars')}/batch`
    const beside = { searches: [{ vector: [1, 0] }], limit: 3 }
    expect(await call('POST', path, { key: project.owner.key, body: beside })).toMatchObject({
      status: 400,
      body: { detail: "Unknown field 'limit'; known here: searches" },
    })
    const queries = { queries: [{ vector: [1, 0] }] }
    const { detail: meant } = (await call('POST', path, { key: project.owner.key, body: queries }))
      .body
    expect(meant).toContain("Unknown field 'queries': did you mean searches?")
  })

  it('has 1 to 100 searches', async () => {
    const project = await verses()
    const one = { vector: [1, 0] }
    const { body } = await searchBatch(project, ...Array(100).fill(one))
    expect(body.answers.length).toBe(100)
    const path = `${project.path('similars')}/batch`
    for (const searches of [[], Array(101).fill(one), one, undefined]) {
      const { status } = await call('POST', path, { key: project.owner.key, body: { searches } })
      expect(status).toBe(400)
    }
  })
})
