import { expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { asAdmin } from '../../support/client.ts'
import { untilCached } from '../../support/data/cached.ts'
import { send } from '../../support/data/embeddings.ts'
import { neighboursOf } from '../../support/data/neighbours.ts'
import { found, type Result, search, searchBatch } from '../../support/data/similars.ts'
import { byBytes, similarity } from '../../support/data/vectors.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

/** Vectors and copies of them three times as long; a large component takes the precision of sums. */
async function withCopies(dimensions: number, largeComponent: number, number: number) {
  const random = randomNumbers(dimensions)
  const project = await newProject({}, { dimensions })
  const stored = new Map<string, number[]>()
  for (let at = 0; at < number; at += 1) {
    const vector = Array.from({ length: dimensions }, () => random() - 0.4)
    if (largeComponent > 0) vector[at] = largeComponent
    stored.set(`v${at}`, vector)
    const triple = vector.map((value) => Math.fround(value) * 3)
    stored.set(`v${at} × 3`, triple)
  }
  for (const [textId, vector] of stored) {
    await upload(project, embedding(textId, vector, { metadata: { of: textId.split(' ')[0] } }))
  }
  return { project, stored }
}

const ways = [
  {},
  { exact: true },
  { filter: { of: { $prefix: 'v' } } },
  { totals: true },
  { group_by: 'of', group_size: 2 },
  { exact: true, group_by: 'of', group_size: 2 },
]

async function ask(project: Project, body: object) {
  const answer = await search(project, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const found: Result[] = answer.body.results
  return { ...answer, found }
}

const findCopies = async (project: Project, stored: Map<string, number[]>) => {
  for (const [text_id, vector] of stored) {
    const copy = text_id.endsWith(' × 3') ? text_id.slice(0, -4) : `${text_id} × 3`
    for (const way of ways) {
      const said = `${text_id} ${JSON.stringify(way)}`
      const from = await ask(project, { ...way, text_id, threshold: 1 })
      expect(
        from.found.map(({ id }) => id),
        said,
      ).toEqual([copy])
      const by = await ask(project, { ...way, vector, threshold: 1 })
      expect(
        by.found.map(({ id }) => id),
        said,
      ).toEqual([text_id, copy].sort(byBytes))
      if ('totals' in way) expect(by.body.total_similar).toBe(2)
      if ('group_by' in way) continue
      expect(by.headers.get('x-search-hidden'), said).toBe(`${stored.size - 2}`)
    }
  }
  const searches = Array.from(stored.keys(), (text_id) => ({ text_id, threshold: 1 }))
  const { body } = await searchBatch(project, ...searches)
  for (const { results } of body.answers) expect(results).toHaveLength(1)
}

const checkPages = async (project: Project, stored: Map<string, number[]>) => {
  for (const way of ways) {
    const options = { ...way, text_id: 'v0', threshold: 0 }
    const { found } = await ask(project, options)
    checkSimilarities(found, stored.get('v0') ?? [], stored)
    if ('group_by' in way) continue
    const offsets = [...found.keys()]
    const pages = offsets.map((offset) => ask(project, { ...options, limit: 1, offset }))
    expect((await Promise.all(pages)).flatMap((page) => page.found)).toEqual(found)
  }
}

const near = 1e-6

/** That the most similar are the first, each as similar as float64 has it. */
function checkSimilarities(
  found: readonly Result[],
  sought: readonly number[],
  stored: Map<string, number[]>,
) {
  const given = found.map(({ similarity }) => similarity)
  expect(given).toEqual([...given].sort((a, b) => b - a))
  for (const { id, similarity: is } of found) {
    const should = Math.max(0, similarity(sought, stored.get(id) ?? []))
    expect(Math.abs(is - should), id).toBeLessThan(near)
  }
}

it.each([
  ['usual components', 3_072, 0, 5],
  ['a large component each', 1_536, 300, 4],
  ['a large component each of many', 16_000, 3_000, 2],
])(
  'rounding errors of sums in float32 do not count with %s',
  async (_, dimensions, largeComponent, number) => {
    const { project, stored } = await withCopies(dimensions, largeComponent, number)
    for (const isCached of [false, true]) {
      if (isCached) await untilCached(project, dimensions)
      await findCopies(project, stored)
      await checkPages(project, stored)
    }
    for (const { neighbours } of await neighboursOf(project, { threshold: 1 })) {
      expect(neighbours).toHaveLength(1)
    }
    for (const { id, neighbours } of await neighboursOf(project, { threshold: 0 })) {
      checkSimilarities(neighbours, stored.get(id) ?? [], stored)
    }
  },
)

it('copies of many lengths are in the order of their text_ids, on pages that meet', async () => {
  const dimensions = 1_536
  const { project, stored } = await withCopies(dimensions, 300, 2)
  const copiesOf = (name: string, factor: (at: number) => number) =>
    Array.from({ length: 30 }, (_, at) => {
      const vector = stored.get(name)?.map((value) => Math.fround(value) * factor(at)) ?? []
      return embedding(`${name} ${at}`, vector, { metadata: { of: at } })
    })
  // Seen from another direction, only multiples by powers of two are as similar to the last bit.
  const [near, far] = [copiesOf('v0', (at) => at + 2), copiesOf('v1', (at) => 2 ** at)]
  await upload(project, ...near, ...far)
  await asAdmin('DELETE', `${project.path('embeddings')}/v1 × 3`)
  const idsOf = (name: string, copies: readonly { text_id: string }[]) =>
    [...stored.keys(), ...copies.map(({ text_id }) => text_id)]
      .filter((id) => id.startsWith(name) && id !== 'v1 × 3')
      .sort(byBytes)
  const ids = [...idsOf('v0', near), ...idsOf('v1', far)]
  const vector = stored.get('v0')
  for (const isCached of [false, true]) {
    if (isCached) await untilCached(project, dimensions)
    for (const way of [{}, { exact: true }, { exact: true, filter: { of: { $ne: 'none' } } }]) {
      const found: string[] = []
      for (let offset = 0; offset < 70; offset += 7) {
        const page = await ask(project, { ...way, vector, threshold: 0, limit: 7, offset })
        found.push(...page.found.map(({ id }) => id))
      }
      expect(found, JSON.stringify(way)).toEqual(ids)
    }
    const { body } = await ask(project, { vector, threshold: 1, totals: true })
    expect(body.total_similar).toBe(near.length + 2)
  }
})

it('vectors at right angles have the similarity 0, in the order of their text_ids', async () => {
  const random = randomNumbers(1)
  const project = await newProject({}, { dimensions: 4 })
  const ids = Array.from({ length: 40 }, (_, at) => `v${at}`)
  // Of what has a length in float32 that differs from 1 by rounding.
  const vectors = ids.map(() => [random() + 0.1, random() - 0.5, random() - 0.5, 0])
  const items = ids.map((id, at) =>
    embedding(id, vectors[at] ?? [], { metadata: { of: `v${at % 7}` } }),
  )
  await upload(project, ...items)
  const vector = [0, 0, 0, 0.3]
  for (const isCached of [false, true]) {
    if (isCached) await untilCached(project, 4)
    for (const way of [
      ...ways.filter((each) => !('group_by' in each)),
      { threshold: 0, limit: 7 },
    ]) {
      const { found } = await ask(project, { limit: 40, ...way, vector, threshold: 0 })
      const first = ids.toSorted(byBytes).slice(0, found.length)
      expect(found.map(({ id, similarity: is }) => [id, is])).toEqual(first.map((id) => [id, 0]))
      expect(found.length).toBeGreaterThanOrEqual(7)
    }
  }
})

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

/** That all are found that are not in the opposite direction, each as similar as float64 has it. */
function check(found: readonly Result[], stored: Map<string, number[]>, sought: number[]): void {
  const ids = new Set(found.map(({ id }) => id))
  for (const [id, vector] of stored) {
    if (similarity(sought, vector) > near) expect(ids, id).toContain(id)
  }
  checkSimilarities(found, sought, stored)
}

async function checkAll(project: Project, stored: Map<string, number[]>): Promise<void> {
  for (const [text_id, vector] of stored) {
    const others = new Map([...stored].filter(([id]) => id !== text_id))
    const filter = { kind: 'any' }
    for (const how of [{}, { exact: true }, { filter }, { filter: { kind: { $ne: 'none' } } }]) {
      const options = { threshold: 0, limit: 200, ...how }
      check(await found(project, { text_id, ...options }), others, vector)
      check(await found(project, { vector, ...options }), stored, vector)
    }
  }
}

it.each([
  ['ordinary and extreme', [1e-38, 1e-19, 1.2e-18, 1, 1e18, 1e19, 3e38], 24, [1e-38, 1e-19, 3e38]],
  ['the longest', [1, ...brinks], 24, []],
  ['the longest of many elements', [1, ...brinks], 1_536, []],
] as const)(
  'vectors of any length that has a direction in float32 are found by all ways to search: %s',
  async (_, norms, dimensions, never) => {
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
  },
)
