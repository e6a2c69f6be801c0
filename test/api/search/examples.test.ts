import { describe, expect, it } from 'vitest'
import { found, search, searchBatch } from '../../support/data/similars.ts'
import { similarity } from '../../support/data/vectors.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const vectors: Readonly<Record<string, number[]>> = {
  east: [1, 0, 0],
  north: [0, 2, 0],
  up: [0, 0, 3],
  between: [1, 1, 0.1],
  far: [1, 0.2, 1],
  away: [-1, 0, 0.5],
}

async function projectOfAll() {
  const project = await newProject({}, { dimensions: 3 })
  const metadata = { axis: 'none' }
  const all = Object.entries(vectors).map(([id, vector]) => {
    return embedding(id, vector, id === 'between' ? { metadata } : { text: `looks ${id}` })
  })
  await upload(project, ...all)
  return project
}

const resultsOf = (project: Project, body: object) => found(project, { threshold: 0.05, ...body })
const idsOf = async (project: Project, body: object): Promise<string[]> =>
  (await resultsOf(project, body)).map(({ id }) => id)

/** By float64 arithmetic: all but some, ranked by similarity to a vector. */
const ranked = (to: number[], without: string[]) =>
  Object.entries(vectors)
    .filter(([id]) => !without.includes(id))
    .map(([id, vector]) => ({ id, similarity: similarity(to, vector) }))
    .filter((each) => each.similarity > 0.05)
    .sort((a, b) => b.similarity - a.similarity)
    .map((each) => ({ ...each, similarity: expect.closeTo(each.similarity, 5) }))

describe('a search like some and unlike others', () => {
  it('is by the mean of the liked minus that of the unliked, whatever their lengths', async () => {
    const project = await projectOfAll()
    expect(await resultsOf(project, { like: ['east', 'north'] })).toEqual(
      ranked([0.5, 0.5, 0], ['east', 'north']),
    )
    const unlike = { like: ['east', [0, 5, 0]], unlike: ['up'] }
    for (const exact of [false, true]) {
      expect(await resultsOf(project, { ...unlike, exact })).toEqual(
        ranked([0.5, 0.5, -1], ['east', 'up']),
      )
    }
    expect(await idsOf(project, { ...unlike, include_self: true })).toContain('east')
  })

  it('takes a vector or a text_id beside as one of the liked', async () => {
    const project = await projectOfAll()
    const expected = ranked([1, -1, 0], ['north'])
    expect(await resultsOf(project, { vector: [7, 0, 0], unlike: ['north'] })).toEqual(expected)
    const byId = await resultsOf(project, { text_id: 'east', unlike: [[0, 1, 0]] })
    expect(byId).toEqual(ranked([1, -1, 0], ['east']))
  })

  it('works with pages, filters, groups, totals and words', async () => {
    const project = await projectOfAll()
    const like = ['east', 'north']
    const all = await idsOf(project, { like })
    expect([
      ...(await idsOf(project, { like, limit: 1 })),
      ...(await idsOf(project, { like, offset: 1 })),
    ]).toEqual(all)
    const filter = { axis: { $exists: false } }
    expect(await idsOf(project, { like, filter })).toEqual(all.filter((id) => id !== 'between'))
    expect(await idsOf(project, { like, group_by: 'axis' })).toEqual(['between', 'far'])
    const { body } = await search(project, { like, totals: true, threshold: 0.05 })
    expect(body.total_similar).toBe(all.length)
    const both = await idsOf(project, { like, words: 'far' })
    expect(both[0]).toBe('far')
    expect(both).not.toContain('east')
    const { body: batch } = await searchBatch(
      project,
      { like, threshold: 0.05 },
      { like: ['missing'] },
    )
    expect(batch.answers[0].results.map(({ id }: { id: string }) => id)).toEqual(all)
    expect(batch.answers[1].error.status).toBe(404)
  })

  it('refuses what is missing, does not fit or leaves no direction', async () => {
    const project = await projectOfAll()
    const nothing = 'like and unlike cancel each other out: no direction is left to search in'
    const many = Array.from({ length: 11 }, () => 'east')
    const { owner, handle } = project
    const refusals = [
      [
        { like: ['east', 'x'] },
        404,
        `Embedding 'x' not found in project '${owner.handle}/${handle}'`,
      ],
      [{ like: ['east'], unlike: [[2, 0, 0]] }, 400, nothing],
      [{ like: ['east', 'north'], unlike: ['north', 'east'] }, 400, nothing],
      [
        {
          like: [
            [1, 0, 0],
            [1, 0],
          ],
        },
        400,
        'like[1] dimension mismatch: expected 3 dimensions, got 2',
      ],
      [
        { like: ['east'], unlike: [[0, 0, 0]] },
        400,
        'unlike[0]: a vector of length zero has no direction',
      ],
      [{ like: [[1e39, 0, 0]] }, 400, 'like[0]: element 0 is not a finite float32 number'],
      [{ like: [7] }, 400, 'like[0]: must be a text_id or an array of numbers'],
      [{ like: [['a']] }, 400, 'like[0]: must be a text_id or an array of numbers'],
      [{ like: 'east' }, 400, undefined],
      [{ unlike: ['east'] }, 400, 'unlike requires like, vector, text_id or text'],
      [
        { like: many, unlike: many },
        400,
        'like and unlike must have at most 20 text_ids and vectors together',
      ],
      [{ like: [...many, ...many] }, 400, 'like: must have at most 20 text_ids and vectors'],
    ] as const
    for (const [body, status, detail] of refusals) {
      const refused = await search(project, body)
      expect(refused.status, JSON.stringify(body)).toBe(status)
      if (detail !== undefined) expect(refused.body.detail).toBe(detail)
    }
  })

  it('refuses diversity with what it does not work with', async () => {
    const project = await projectOfAll()
    for (const [name, value] of Object.entries({ offset: 1, group_by: 'axis', words: 'far' })) {
      const refused = await search(project, { text_id: 'east', diversity: 0.5, [name]: value })
      const detail = `diversity does not work with ${name}; limit may be up to 200`
      expect([refused.status, refused.body.detail]).toEqual([400, detail])
    }
    const beyond = await search(project, { text_id: 'east', diversity: 1.5 })
    expect(beyond.status).toBe(400)
  })
})
