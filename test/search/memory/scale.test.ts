import { describe, expect, inject, it } from 'vitest'
import { percentileOf, similarityAtPercentile } from '../../../src/search/scale.ts'
import { call } from '../../support/client.ts'
import { add, structured } from '../../support/data/indexed.ts'
import { similarity } from '../../support/data/vectors.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const dimensions = 24

const search = (project: Project, body: object) =>
  call('POST', project.path('similars'), { key: project.owner.key, body })
const statisticsOf = async (project: Project) =>
  (await call('GET', `${project.path('projects')}/statistics`, { key: project.owner.key })).body

const tooSmall = 'The project has fewer than 100 texts'

it('says why a small project has no scale', async () => {
  const project = await newProject({}, { dimensions: 2 })
  await upload(project, embedding('a', [1, 0]), embedding('b', [1, 1]))
  const statistics = await statisticsOf(project)
  expect(statistics).toMatchObject({ total_count: 2, no_scale: tooSmall })
  expect(statistics).not.toHaveProperty('scale')
  const shown = await search(project, { text_id: 'a', include: ['percentile'] })
  expect(shown.status).toBe(200)
  expect(shown.body.results).toEqual([{ id: 'b', similarity: expect.closeTo(Math.SQRT1_2) }])
  const refused = await search(project, { text_id: 'a', min_percentile: 0.9 })
  expect(refused.status).toBe(422)
  expect(refused.body.detail).toBe(`min_percentile has no scale: ${tooSmall}`)
})

it('refuses shares that are none', async () => {
  const project = await newProject({}, { dimensions: 2 })
  for (const min_percentile of [1.01, -0.1, '0.9']) {
    const refused = await search(project, { vector: [1, 0], min_percentile })
    expect(refused.status).toBe(400)
  }
  const inUrl = `${project.path('similars')}?words=a&min_percentile=2`
  const { status, body } = await call('GET', inUrl, { key: project.owner.key })
  expect([status, body.detail]).toEqual([400, 'min_percentile must be between 0.0 and 1.0'])
})

it('translates shares and similarities, also where many pairs are alike', () => {
  const pairs = Float64Array.from([-0.2, 0, 0.1, 0.1, 0.5, 0.5, 0.5, 0.9, 1, 1])
  const scale = { pairs, nearest: pairs, texts: 100, revision: 1, measuredAt: new Date() }
  expect([-1, 0.05, 0.5, 0.50001, 1].map((each) => percentileOf(scale, each))).toEqual([
    ...[0, 0.2, 0.4, 0.7, 0.8],
  ])
  for (const share of [0, 0.01, 0.2, 0.45, 0.7, 0.8]) {
    expect(percentileOf(scale, similarityAtPercentile(scale, share))).toBeGreaterThanOrEqual(share)
  }
  // No text is as similar as that.
  expect(similarityAtPercentile(scale, 0.81)).toBeGreaterThan(1)
})

describe.runIf(inject('engine') === 'embedded')('the scale of a project in memory', () => {
  it('is that of its pairs', async () => {
    const documents = structured(300, dimensions)
    const project = await newProject({}, { dimensions })
    await add(project, documents)
    const { scale } = await statisticsOf(project)
    const of = documents.map(({ vector }, at) =>
      documents.flatMap((other, place) => (place === at ? [] : [similarity(vector, other.vector)])),
    )
    const at = (sample: number[], share: number) =>
      sample.sort((a, b) => a - b)[Math.floor(share * sample.length)] ?? 0
    const pairs = of.flat()
    expect(scale.random_pairs.p50).toBeCloseTo(at(pairs, 0.5), 1)
    expect(scale.random_pairs.p99).toBeCloseTo(at(pairs, 0.99), 1)
    const nearest = of.map((each) => Math.max(...each))
    expect(scale.nearest.p50).toBeCloseTo(at(nearest, 0.5), 1)
    expect(scale).toMatchObject({ texts: 300 })
    expect(Date.now() - Date.parse(scale.measured_at)).toBeLessThan(600_000)

    const body = { text_id: documents[0]?.text_id, limit: 200, include: ['percentile'] }
    const all = (await search(project, { ...body, threshold: 0 })).body.results
    for (const { similarity: found, percentile } of all) {
      const share = pairs.filter((pair) => pair < found).length / pairs.length
      expect(Math.abs(percentile - share)).toBeLessThan(0.05)
    }
    const beyond = (await search(project, { ...body, min_percentile: 0.8 })).body.results
    expect(beyond).toEqual(all.filter((each: { percentile: number }) => each.percentile >= 0.8))
    expect(beyond.length).toBeGreaterThan(0)
    const both = await search(project, { ...body, min_percentile: 0.8, threshold: 0.99 })
    expect(both.body.results.length).toBeLessThan(beyond.length)
    const batch = await call('POST', `${project.path('similars')}/batch`, {
      key: project.owner.key,
      body: { searches: [{ ...body, min_percentile: 0.8 }] },
    })
    expect(batch.body.answers[0].results).toEqual(beyond)
  })

  it('is measured again once half as many texts have come', async () => {
    const documents = structured(160, dimensions, 2)
    const project = await newProject({}, { dimensions })
    await add(project, documents.slice(0, 100))
    const first = (await statisticsOf(project)).scale
    await add(project, documents.slice(100, 150))
    expect((await statisticsOf(project)).scale).toEqual(first)
    await add(project, documents.slice(150))
    const next = (await statisticsOf(project)).scale
    expect(next.texts).toBe(160)
    expect(next.revision).toBeGreaterThan(first.revision)
  })
})
