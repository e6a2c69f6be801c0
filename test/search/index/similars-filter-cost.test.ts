import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { call } from '../../support/client.ts'
import { gospels384 } from '../../support/data/gospels.ts'
import { modeOf, projectOf } from '../../support/data/indexed.ts'
import { searchFrom } from '../../support/data/similars.ts'
import { rankedBy } from '../../support/data/vectors.ts'
import { embedding, type Project } from '../../support/factories.ts'
import { postgresOfRun } from '../../support/servers/postgres-place.ts'

const random = randomNumbers(7)
const shares = [0.9, 0.5, 0.1, 0.01, 0.001]
const verses = gospels384()
const pivot = verses[1_000]?.vector ?? []
const places = new Map(rankedBy(pivot, verses).map(({ id }, place) => [id, place / verses.length]))

/** What a share of the documents has: any of them, the nearest to one verse, or the furthest from it. */
const documents = verses.map(({ text_id, vector }) => {
  const place = places.get(text_id) ?? 0
  const has = (holds: (share: number) => boolean) =>
    Object.fromEntries(shares.map((share) => [`${share * 1_000}`, holds(share)]))
  const metadata = {
    any: has((share) => random() < share),
    near: has((share) => place < share),
    far: has((share) => place >= 1 - share),
    number: Math.floor(random() * 1_000),
  }
  return { text_id, vector, metadata }
})

type Document = (typeof documents)[number]

const sought = {
  any: documents.filter((_, index) => index % 400 === 3),
  close: documents.filter(({ text_id }) => (places.get(text_id) ?? 1) < 0.004),
}

interface Case {
  readonly name: string
  readonly filter: object
  readonly holds: (document: Document) => boolean
  readonly from: readonly Document[]
}

const kept: Case[] = shares.flatMap((share) => {
  const name = `${share * 1_000}`
  const by = (kind: 'any' | 'near' | 'far') => ({
    name: `${share * 100}% (${kind})`,
    filter: { [`${kind}.${name}`]: true },
    holds: ({ metadata }: Document) => metadata[kind][name] === true,
    from: kind === 'any' ? sought.any : sought.close,
  })
  return [by('any'), by('near'), by('far')]
})
const others = [
  ['a negation that keeps little', { $not: { 'any.10': false } }, 'any', '10'],
  ['a negation that keeps most', { 'any.100': { $ne: true } }, 'any', '100'],
] as const
const least: Case[] = [
  {
    name: 'a range that keeps little',
    filter: { number: { $gte: 990 } },
    holds: ({ metadata }: Document) => metadata.number >= 990,
    from: sought.any,
  },
  ...others.map(([name, filter, kind, share]) => ({
    name,
    filter,
    holds: ({ metadata }: Document) => metadata[kind][share] === name.endsWith('little'),
    from: sought.any,
  })),
]

const cases = [...kept, ...least]

/** The share of the ten nearest that is found, by similarity, and whether every page is full. */
async function recallOf(
  project: Project,
  { filter, holds, from }: Case,
): Promise<{ recall: number; short: number }> {
  let [found, wanted, short] = [0, 0, 0]
  for (const { text_id, vector } of from) {
    const others = documents.filter((each) => each.text_id !== text_id && holds(each))
    const nearest = rankedBy(vector, others)
      .map((each) => each.similarity)
      .filter((near) => near >= 0)
      .slice(0, 10)
    const query = { threshold: 0, filter: JSON.stringify(filter) }
    const { body } = await searchFrom(project, text_id, query)
    const results: { id: string; similarity: number }[] = body.results
    const last = (nearest.at(-1) ?? 1) - 2e-6
    found += results.filter((result) => result.similarity >= last).length
    wanted += nearest.length
    short += results.length < nearest.length ? 1 : 0
  }
  return { recall: found / wanted, short }
}

describe('a search with a filter', () => {
  it('finds what the filter keeps, however much that is, and fills its pages', async () => {
    const project = await projectOf(documents)
    const [first] = documents
    if (postgresOfRun() !== undefined) {
      expect(modeOf(await searchFrom(project, first?.text_id ?? ''))).toBe('approximate')
    }
    const recalls = []
    for (const each of cases) {
      const { recall, short } = await recallOf(project, each)
      expect({ name: each.name, short }).toEqual({ name: each.name, short: 0 })
      expect(recall, each.name).toBeGreaterThanOrEqual(0.97)
      recalls.push(recall)
    }
    const mean = recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length
    expect(mean).toBeGreaterThanOrEqual(0.99)
  })

  it('finds what was changed since what a filter keeps was remembered', async () => {
    const project = await projectOf(documents.slice(0, 1_500))
    const [first, other] = documents
    const query = { threshold: 0, filter: JSON.stringify({ number: { $gt: 5_000 } }) }
    const search = async () => {
      const { status, body } = await searchFrom(project, first?.text_id ?? '', query)
      expect(status).toBe(200)
      return body.results.map(({ id }: { id: string }) => id)
    }
    const replace = (number: number) =>
      call('POST', `${project.path('embeddings')}?on_conflict=replace`, {
        key: project.owner.key,
        body: {
          embeddings: [
            embedding(other?.text_id ?? '', other?.vector ?? [], { metadata: { number } }),
          ],
        },
      })
    expect(await search()).toEqual([])
    expect((await replace(9_000)).status).toBe(201)
    expect(await search()).toEqual([other?.text_id])
    expect((await replace(9)).status).toBe(201)
    expect(await search()).toEqual([])
  })
})
