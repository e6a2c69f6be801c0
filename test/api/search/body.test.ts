import { describe, expect, it } from 'vitest'
import { vectorToBase64 } from '../../../src/vectors/encoding.ts'
import { type Answer, call } from '../../support/client.ts'
import { refusal } from '../../support/data/refusals.ts'
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

/** A result, however similar it is. */
const similar = (found: object) => ({ ...found, similarity: expect.any(Number) })

const searchWith = (project: Project, query: string, body: object): Promise<Answer> =>
  call('POST', project.path('similars') + query, { key: project.owner.key, body })

describe('include', () => {
  it('shows what is stored with a result, as it is', async () => {
    const project = await verses()
    const include = ['text', 'metadata', 'vector']
    const all = await found(project, { vector: [1, 0], include, threshold: 0 })
    expect(all).toEqual([
      { id: 'm1', similarity: 1, text: 'The "first"', metadata: mark, vector: [1, 0] },
      similar({ id: 'm2', text: 'second', metadata: mark, vector: [1, 0.1] }),
      similar({ id: 'l1', metadata: luke, vector: [1, 0.5] }),
      similar({ id: 'l2', text: 'fourth', metadata: luke, vector: [0.5, 1] }),
      similar({ id: 'x', vector: [1, 2] }),
    ])
    const query = { include: include.join(), limit: 1 }
    expect(await resultsOf(searchFrom(project, 'm2', query))).toEqual([all[0]].map(similar))
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

const notStorable = 'must not hold NUL characters or lone surrogates'

describe('a search in a body', () => {
  it('takes a vector in base64', async () => {
    const project = await verses()
    const vector = vectorToBase64(Float32Array.of(1, 0))
    expect(await found(project, { vector })).toEqual(await found(project, { vector: [1, 0] }))
    expect(await search(project, { vector: 'AAAA' })).toMatchObject(
      refusal(400, /^vector: must be an array of numbers, or base64/),
    )
  })

  it.each<[object, string, string]>([
    [{}, '', 'vector, text_id, text, like or words is required'],
    [{ vector: [1, 0], text_id: 'm1' }, '', 'give vector or text_id, not both'],
    [{ text: 'a', text_id: 'm1' }, '', 'give text_id or text, not both'],
    [{ text: ' \n' }, '', 'text: must not be blank'],
    [{ text: 'a'.repeat(10_001) }, '', 'text: '],
    [{ vector: [1, 0], limit: 201 }, '', 'limit: '],
    [{ vector: [1, 0], limit: '10' }, '', 'limit: '],
    [{ vector: [1, 0], include: ['texts'] }, '', "include: has no 'texts'; did you mean text?"],
    [{ vector: [1, 0], metadata_path: 'a' }, '', 'metadata_path requires metadata_value'],
    [{ vector: [1, 0], group_size: 2 }, '', 'group_size requires group_by'],
    [{ vector: [1, 0], include: ['highlights'] }, '', 'highlights requires words to be specified'],
    [{ vector: [1, 0], weights: { words: 2 } }, '', 'weights requires words to be specified'],
    [{ vector: [1, 0], words: 'a', weights: { vector: 0, words: 0 } }, '', 'weights'],
    [{ vector: [1, 0], group_by: 'a\0b' }, '', `group_by: ${notStorable}`],
    [{ vector: [1, 0], metadata_path: '\ud800', metadata_value: 'x' }, '', notStorable],
    [{ vector: [1, 0], metadata_path: 'ref', metadata_value: '\udc00x' }, '', notStorable],
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
    expect(await searchWith(project, query, body)).toMatchObject(refusal(400, detail))
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
    const one = { vector: [1, 0] }
    const odd = [
      { ...one, where: {} },
      { ...one, group_by: 'a\0b' },
    ]
    const { body } = await searchBatch(project, one, ...odd)
    expect(body.answers).toMatchObject([
      { results: expect.any(Array) },
      { error: { detail: "searches[1]: Unknown field 'where': did you mean filter?" } },
      { error: { detail: `searches[2].group_by: ${notStorable}` } },
    ])
    const path = `${project.path('similars')}/batch`
    for (const [asked, detail] of [
      [{ searches: [one], limit: 3 }, "Unknown field 'limit'; known here: searches"],
      [{ queries: [one] }, "Unknown field 'queries': did you mean searches?"],
    ] as const) {
      const answer = await call('POST', path, { key: project.owner.key, body: asked })
      expect(answer.body).toMatchObject({ status: 400, detail: expect.stringContaining(detail) })
    }
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
