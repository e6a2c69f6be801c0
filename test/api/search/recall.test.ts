import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { type Result, resultsOf, searchBy, searchFrom } from '../../support/data/similars.ts'
import { byBytes, similarity } from '../../support/data/vectors.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const tolerance = 2e-6
/** Smaller similarities below 0 are rounding noise. */
const noise = 1e-6
const pageSize = 7

type Stored = ReadonlyMap<string, readonly number[]>

/**
 * Documents in clusters, with what makes rankings hard: equal vectors, scaled ones, opposite ones,
 * almost equal ones, and ids whose byte order differs from their order of upload.
 */
function documents(dimensions: number, clusters: number): Stored {
  const random = randomNumbers(dimensions)
  const vector = () => Array.from({ length: dimensions }, () => round(random() * 2 - 1))
  const stored = new Map<string, readonly number[]>()
  const add = (vector: number[]) =>
    stored.set(`${Math.floor(random() * 1e6)}-${['z', 'A', 'é', '😀'][stored.size % 4]}`, vector)
  for (let cluster = 0; cluster < clusters; cluster += 1) {
    const centre = vector()
    const shift = vector()
    add(centre)
    add([...centre])
    add(centre.map((value) => value * 2))
    add(centre.map((value) => value * 3))
    add(centre.map((value) => -value))
    add(centre.map(Math.abs))
    add(shift.map(Math.abs))
    for (const distance of [0.001, 0.1, 0.5, 1]) {
      add(centre.map((value, index) => round(value + distance * (shift[index] ?? 0))))
    }
  }
  return stored
}

const round = (value: number) => Math.round(value * 1e4) / 1e4

async function projectOf(stored: Stored, dimensions: number): Promise<Project> {
  const project = await newProject({}, { dimensions })
  const items = [...stored].map(([id, vector]) => embedding(id, [...vector]))
  for (let start = 0; start < items.length; start += 50) {
    await upload(project, ...items.slice(start, start + 50))
  }
  return project
}

type Search = (page: { limit: number; offset: number; threshold: number }) => Promise<Result[]>

async function allPages(search: Search): Promise<Result[]> {
  const seen: Result[] = []
  for (let full = true; full; ) {
    const page = await search({ limit: pageSize, offset: seen.length, threshold: 0 })
    seen.push(...page)
    full = page.length === pageSize
  }
  expect(await search({ limit: pageSize, offset: seen.length, threshold: 0 })).toEqual([])
  return seen
}

/** Holds the whole ranking against float64 arithmetic; what points away is no result. */
function check(ranking: readonly Result[], stored: Stored, vector: readonly number[]): void {
  const expected = [...stored].filter(([, other]) => similarity(vector, other) >= -noise)
  expect(ranking.map(({ id }) => id).toSorted()).toEqual(expected.map(([id]) => id).toSorted())
  const errors = ranking.map(({ id, similarity: found }) =>
    Math.abs(found - similarity(vector, stored.get(id) ?? [])),
  )
  expect(Math.max(...errors)).toBeLessThan(tolerance)
  const ordered = ranking.toSorted((a, b) => b.similarity - a.similarity || byBytes(a.id, b.id))
  expect(ranking).toEqual(ordered)
}

describe.each([
  [2, 12],
  [5, 12],
  [384, 12],
  [1_536, 12],
  [3_072, 6],
])('the ranking in %i dimensions', (dimensions, clusters) => {
  it('is that of float64 arithmetic, page by page', async () => {
    const stored = documents(dimensions, clusters)
    const project = await projectOf(stored, dimensions)
    const random = randomNumbers(1)
    const query = Array.from({ length: dimensions }, () => random())
    const byVector = (page: object) => resultsOf(searchBy(project, query, { ...page }))
    check(await allPages(byVector), stored, query)

    const [source = ['', []]] = stored
    const others = new Map([...stored].slice(1))
    const byDocument = (page: object) => resultsOf(searchFrom(project, source[0], { ...page }))
    const ranking = await allPages(byDocument)
    check(ranking, others, source[1])
    // The copy and the doubled one are equal to it in float32, whatever the summation.
    expect(ranking.slice(0, 2).map((result) => result.similarity)).toEqual([1, 1])
  })

  it('is cut at the threshold and nowhere else', async () => {
    const stored = documents(dimensions, clusters)
    const project = await projectOf(stored, dimensions)
    const [vector = []] = stored.values()
    for (const threshold of [0.1, 0.5, 0.9]) {
      const found = await resultsOf(searchBy(project, vector, { threshold, limit: 200 }))
      const expected = [...stored].filter(([, other]) => similarity(vector, other) >= threshold)
      expect(found.map(({ id }) => id).toSorted()).toEqual(expected.map(([id]) => id).toSorted())
    }
  })
})
