import { describe, expect, it } from 'vitest'
import { idsOf, type Query, resultsOf, searchBy, searchFrom } from '../../support/data/similars.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

/** `count` documents, each a little further from the first axis than the one before. */
async function fan(count: number) {
  const project = await newProject({}, { dimensions: 2 })
  const ids = Array.from({ length: count }, (_, index) => `t${String(index).padStart(3, '0')}`)
  await upload(project, ...ids.map((id, index) => embedding(id, [1, index / count])))
  return { project, ids }
}

const fromFirst = (project: Project, query: Query) =>
  searchFrom(project, 't000', { ...query, include_self: 'true' })
const byAxis = (project: Project, query: Query) => searchBy(project, [1, 0], query)

describe.each([
  ['from a document', fromFirst],
  ['by a vector', byAxis],
])('a search %s', (_, search) => {
  it('answers 10 results unless told otherwise', async () => {
    const { project, ids } = await fan(12)
    expect(await idsOf(search(project, {}))).toEqual(ids.slice(0, 10))
  })

  it('takes count, limit, or the smaller of both', async () => {
    const { project, ids } = await fan(12)
    const sizes: [Query, number][] = [
      [{ count: 3 }, 3],
      [{ limit: 4 }, 4],
      [{ count: 3, limit: 5 }, 3],
      [{ count: 5, limit: 3 }, 3],
      [{ count: 11 }, 11],
      [{ count: 1 }, 1],
      [{ limit: 200 }, 12],
      [{ count: 12, limit: 12 }, 12],
    ]
    for (const [query, size] of sizes) {
      expect(await idsOf(search(project, query)), JSON.stringify(query)).toEqual(ids.slice(0, size))
    }
  })

  it('answers up to 200 results', async () => {
    const { project, ids } = await fan(230)
    expect(await idsOf(search(project, { count: 200 }))).toEqual(ids.slice(0, 200))
    expect(await idsOf(search(project, { count: 200, offset: 200 }))).toEqual(ids.slice(200))
  })

  it('skips as many as the offset says, and is empty past the end', async () => {
    const { project, ids } = await fan(12)
    expect(await idsOf(search(project, { offset: 5, limit: 3 }))).toEqual(ids.slice(5, 8))
    expect(await idsOf(search(project, { offset: 5 }))).toEqual(ids.slice(5))
    for (const offset of [12, 100, 2_147_483_647]) {
      expect(await resultsOf(search(project, { offset }))).toEqual([])
    }
  })
})

describe('the threshold', () => {
  const directions = [
    embedding('same', [3, 0]),
    embedding('half', [1, Math.sqrt(3)]),
    embedding('right-angle', [0, 1]),
    embedding('opposite', [-1, 0]),
  ]
  const project = async () => {
    const created = await newProject({}, { dimensions: 2 })
    await upload(created, ...directions)
    return created
  }

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
    expect(await idsOf(searchBy(await project(), [1, 0], { threshold }))).toEqual(ids)
  })

  it('is 0.5 unless told otherwise', async () => {
    expect(await idsOf(searchBy(await project(), [1, 0]))).toEqual(['same', 'half'])
  })

  it('of 1 finds every vector of the same direction, whatever its length', async () => {
    const scaled = await newProject({}, { dimensions: 7 })
    const direction = [0.1, -0.7, 0.3, 1 / 3, 0.01, -5, 2.2]
    const factors = [1, 3, 0.1, 1e-6, 1e6, 7.77]
    await upload(
      scaled,
      ...factors.map((factor) =>
        embedding(
          `x${factor}`,
          direction.map((value) => value * factor),
        ),
      ),
    )
    const results = await resultsOf(searchFrom(scaled, 'x1', { threshold: 1 }))
    expect(results.length).toBe(factors.length - 1)
  })

  it.each([
    ...['', '-0.1', '1.1', '1.0000001', '2', 'NaN', 'Infinity', 'half', '0x1', '0,5', ' 0.5'],
    '1e400',
  ])('%j is refused', async (threshold) => {
    const detail = 'threshold must be between 0.0 and 1.0'
    const refusal = { status: 400, body: { title: 'Bad Request', detail } }
    const stored = await project()
    expect(await searchBy(stored, [1, 0], { threshold })).toMatchObject(refusal)
    expect(await searchFrom(stored, 'same', { threshold })).toMatchObject(refusal)
  })
})
