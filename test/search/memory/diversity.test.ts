import { describe, expect, inject, it } from 'vitest'
import { call } from '../../support/client.ts'
import { add, structured } from '../../support/data/indexed.ts'
import { type Result, resultsOf, searchFrom } from '../../support/data/similars.ts'
import { similarity } from '../../support/data/vectors.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

const alike = [
  ...[embedding('source', [1, 0, 0]), embedding('one', [1, 0.1, 0])],
  ...[embedding('same', [1, 0.1, 0]), embedding('other', [1, 0, 0.5])],
]

it.skipIf(inject('engine') === 'embedded')('needs vectors in memory', async () => {
  const project = await newProject({}, { dimensions: 3 })
  await upload(project, ...alike)
  const { status, body } = await searchFrom(project, 'source', { diversity: 0.5 })
  expect([status, body.detail]).toEqual([
    422,
    'diversity needs vectors in memory: The vectors of this project do not fit into memory (SERVICE_VECTORMEMORY)',
  ])
})

describe.runIf(inject('engine') === 'embedded')('diversity', () => {
  it('does not show the same twice', async () => {
    const project = await newProject({}, { dimensions: 3 })
    await upload(project, ...alike)
    const idsOf = async (diversity: number) =>
      (await resultsOf(searchFrom(project, 'source', { diversity, limit: 2 }))).map(({ id }) => id)
    expect(await idsOf(0)).toEqual(['one', 'same'])
    expect(await idsOf(0.5)).toEqual(['one', 'other'])
    const all = await searchFrom(project, 'source', { diversity: 0.5 })
    expect(all.body.results.map(({ id }: Result) => id)).toEqual(['one', 'other', 'same'])
    expect(all.headers.get('x-search-hidden')).toBe('0')
    const missing = await searchFrom(project, 'missing', { diversity: 0.5 })
    expect(missing.status).toBe(404)
    const nothing = await searchFrom(project, 'source', { diversity: 1, threshold: 1, limit: 2 })
    expect([nothing.status, nothing.body.results]).toEqual([200, []])
    expect(nothing.headers.get('x-search-hidden')).toBe('2')
  })

  it('is maximal marginal relevance', async () => {
    const documents = structured(400, 24, 3)
    const project = await newProject({}, { dimensions: 24 })
    await add(project, documents)
    const vectors = new Map(documents.map(({ text_id, vector }) => [text_id, vector]))
    const key = project.owner.key
    const body = { vector: documents[7]?.vector, threshold: 0, limit: 20, include: ['percentile'] }
    const pool: Result[] = (
      await call('POST', project.path('similars'), { key, body: { ...body, limit: 200 } })
    ).body.results
    for (const diversity of [0.2, 0.5, 0.9]) {
      const answer = await call('POST', project.path('similars'), {
        key,
        body: { ...body, diversity },
      })
      const found: Result[] = answer.body.results
      expect(found).toHaveLength(20)
      // Each is the best of those left, but for what 8 bits round.
      for (const [at, { id }] of found.entries()) {
        const before = found.slice(0, at).map((each) => vectors.get(each.id) ?? [])
        const scoreOf = (each: Result) =>
          (1 - diversity) * each.similarity -
          diversity *
            Math.max(0, ...before.map((one) => similarity(one, vectors.get(each.id) ?? [])))
        const left = pool.filter((each) => !found.slice(0, at).some(({ id }) => id === each.id))
        const best = Math.max(...left.map(scoreOf))
        const chosen = pool.find((each) => each.id === id)
        expect(chosen && scoreOf(chosen)).toBeGreaterThan(best - 0.02)
        expect(found[at]).toEqual(chosen)
      }
    }
  })
})
