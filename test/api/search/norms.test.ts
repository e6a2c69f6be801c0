import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { untilCached } from '../../support/data/cached.ts'
import { send } from '../../support/data/embeddings.ts'
import { neighboursOf } from '../../support/data/neighbours.ts'
import { found, type Result } from '../../support/data/similars.ts'
import { similarity } from '../../support/data/vectors.ts'
import { embedding, newProject, type Project } from '../../support/factories.ts'

/** The largest norm whose square is a float32. */
const longest = Math.sqrt(2 ** 128 - 2 ** 104)
const brinks = [1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 0].map((less) => longest * Math.sqrt(1 - less))

/** Of this length, as float32 numbers. */
function scaled(direction: readonly number[], norm: number): number[] {
  const length = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0))
  return direction.map((value) => Math.fround((value / length) * norm))
}

/** A project with what is not refused of these norms, in some directions. */
async function ofNorms(norms: readonly number[], dimensions: number) {
  const random = randomNumbers(dimensions)
  const project = await newProject({}, { dimensions })
  const stored = new Map<string, number[]>()
  const refused: number[] = []
  const directions = [() => 1, () => random() + 0.1, () => random() - 0.3].map((next) =>
    Array.from({ length: dimensions }, next),
  )
  for (const [at, direction] of directions.entries()) {
    for (const norm of norms) {
      const vector = scaled(direction, norm)
      const item = embedding(`${at} ${norm}`, vector, { metadata: { kind: 'any' } })
      const { status } = await send(project, item)
      if (status === 201) stored.set(item.text_id, vector)
      else refused.push(norm)
      expect([201, 400]).toContain(status)
    }
  }
  return { project, stored, refused }
}

const near = 1e-6

/** That all are found that are not in the opposite direction, each as similar as float64 has it. */
function check(found: readonly Result[], stored: Map<string, number[]>, sought: number[]): void {
  const ids = new Set(found.map(({ id }) => id))
  for (const [id, vector] of stored) {
    if (similarity(sought, vector) > near) expect(ids, id).toContain(id)
  }
  for (const { id, similarity: given } of found) {
    expect(Math.abs(given - similarity(sought, stored.get(id) ?? [])), id).toBeLessThan(near)
  }
}

const search = (project: Project, body: object): Promise<Result[]> =>
  found(project, { threshold: 0, limit: 200, ...body })

async function checkAll(project: Project, stored: Map<string, number[]>): Promise<void> {
  for (const [text_id, vector] of stored) {
    const others = new Map([...stored].filter(([id]) => id !== text_id))
    const filter = { kind: 'any' }
    for (const how of [{}, { exact: true }, { filter }, { filter: { kind: { $ne: 'none' } } }]) {
      check(await search(project, { text_id, ...how }), others, vector)
      check(await search(project, { vector, ...how }), stored, vector)
    }
  }
}

describe('vectors of any length that has a direction in float32', () => {
  it.each([
    [
      'ordinary and extreme',
      [1e-38, 1e-19, 1.2e-18, 1, 1e18, 1e19, 3e38],
      24,
      [1e-38, 1e-19, 3e38],
    ],
    ['the longest', [1, ...brinks], 24, []],
    ['the longest of many elements', [1, ...brinks], 1_536, []],
  ] as const)('are found by all ways to search: %s', async (_, norms, dimensions, never) => {
    const { project, stored, refused } = await ofNorms(norms, dimensions)
    for (const norm of never) expect(refused.filter((one) => one === norm)).toHaveLength(3)
    expect(refused).not.toContain(1)
    expect(stored.size).toBeGreaterThanOrEqual(6)
    await checkAll(project, stored)
    await untilCached(project, dimensions)
    await checkAll(project, stored)
    for (const { id, neighbours } of await neighboursOf(project, { k: 100, threshold: 0 })) {
      const others = new Map([...stored].filter(([other]) => other !== id))
      check(neighbours, others, stored.get(id) ?? [])
    }
  })
})
