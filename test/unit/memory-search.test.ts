import { describe, expect, it } from 'vitest'
import type { VectorCache } from '../../src/search/memory/vector-cache.ts'
import { rankInMemory } from '../../src/search/memory-search.ts'
import { newQuery } from '../support/data/query.ts'

const collection = { collectionId: 1, dimensions: 2, vectors: 100_000, revision: 1, history: '' }
/** So many embeddings, nearest first. */
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`)

interface Stored {
  readonly all: readonly string[]
  /** What the mask of the filter has, and what of it has changed since. */
  readonly masked?: readonly string[]
  readonly changed?: readonly string[]
  readonly isNew?: boolean
  /** Those that were used before have one otherwise. */
  readonly hasMask?: boolean
}

/** A cache of these embeddings, nearest first, which notes how many each search asks for. */
function cacheOf({ all, masked = [], changed = [], isNew = true, hasMask = !isNew }: Stored) {
  let isMade = hasMask
  const made: string[] = []
  const counts: { readonly count: number; readonly masked: boolean }[] = []
  const nearest: VectorCache['nearest'] = async (collection, { count, mask }) => {
    if (mask !== undefined && !isMade) return 'no mask'
    counts.push({ count, masked: mask !== undefined })
    const textIds = (mask === undefined ? all : masked).slice(0, count)
    return {
      textIds,
      distances: textIds.map((_, place) => place / 10_000),
      unsure: textIds.flatMap((id, place) => (changed.includes(id) ? [place] : [])),
      isExact: true,
      revision: collection.revision,
    }
  }
  return {
    counts,
    made,
    cache: {
      nearest,
      masks: {
        isNew: () => isNew,
        make: async () => {
          made.push('awaited')
          isMade = true
          return true
        },
        makeSoon: () => made.push('soon'),
      },
      untilRead: async () => {},
    } as unknown as VectorCache,
  }
}

const pageOf = (limit: number, offset = 0) => ({
  query: newQuery({ collectionId: 1, dimensions: 2 }, [1, 1]),
  page: { limit, offset },
  collection,
  index: null,
  minRecall: undefined,
  canScan: true,
  exact: false,
  matches: { key: 'filter', find: async () => ({ textIds: '[]', revision: 1 }) },
})

/**
 * What the database is asked whether the filter keeps it: those of whose number this is true.
 * @param revisions of the collection when it answers, which are 1 then
 */
function database(keeps: (number: number) => boolean, revisions: number[] = []) {
  const asked: (readonly string[])[] = []
  const kept = async (_: unknown, textIds: readonly string[]) => {
    asked.push(textIds)
    const revision = revisions.shift() ?? 1
    return { ids: new Set(textIds.filter((id) => keeps(Number(id.slice(1))))), revision }
  }
  return { asked, kept }
}

const neverAsked = () => Promise.reject(new Error('nothing has changed'))
const idsOf = (ranking: Awaited<ReturnType<typeof rankInMemory>>) =>
  ranking?.results.map(({ id }) => id)

describe('a filter that was not used before', () => {
  it('is looked up as a whole if it takes too long for the nearest', async () => {
    const tooLong = Object.assign(new Error('the filter took too long'), { code: '2201E' })
    const keptQuickly = () => Promise.reject(tooLong)
    const { cache, counts } = cacheOf({ all: numbered(300), masked: ['kept'] })
    const ranking = await rankInMemory({ cache, kept: neverAsked, keptQuickly }, pageOf(10))
    expect(ranking).toMatchObject({ results: [{ id: 'kept', similarity: 1 }], mode: 'exact' })
    expect(counts.map(({ masked }) => masked)).toEqual([false, true])
  })

  it('fails with any other error', async () => {
    const keptQuickly = () => Promise.reject(new Error('gone away'))
    const { cache } = cacheOf({ all: numbered(300), masked: ['kept'] })
    const ranking = rankInMemory({ cache, kept: neverAsked, keptQuickly }, pageOf(10))
    await expect(ranking).rejects.toThrow('gone away')
  })

  it('is asked once about each of more and more of the nearest', async () => {
    const { asked, kept: keptQuickly } = database((number) => number % 90 === 89)
    const { cache, counts } = cacheOf({ all: numbered(9_000) })
    const ranking = await rankInMemory({ cache, kept: neverAsked, keptQuickly }, pageOf(10, 1))
    const every90th = Array.from({ length: 10 }, (_, at) => `t${90 * (at + 1) + 89}`)
    expect(idsOf(ranking)).toEqual(every90th)
    expect(counts.map(({ count }) => count)).toEqual([110, 1_100])
    expect(asked.flat()).toEqual(numbered(1_100))
  })

  it.each([
    ['keeps too few of the nearest', 4_000, (number: number) => number % 500 === 0, 100_000],
    ['keeps none of the first 1,000', 1_000, (number: number) => number > 8_000, 100_000],
    ['is as cheap for a small project', 100, () => false, 5_000],
  ])('is looked up as a whole if it %s', async (_, looked, keeps, vectors) => {
    const { asked, kept: keptQuickly } = database(keeps)
    const { cache, counts } = cacheOf({ all: numbered(9_000), masked: numbered(30).slice(20) })
    const page = { ...pageOf(10), collection: { ...collection, vectors } }
    const ranking = await rankInMemory({ cache, kept: neverAsked, keptQuickly }, page)
    expect(idsOf(ranking)).toEqual(numbered(30).slice(20))
    expect(asked.flat()).toEqual(numbered(looked))
    expect(counts.at(-1)).toEqual({ count: 10, masked: true })
  })

  it('needs no more than all there is', async () => {
    const { kept: keptQuickly } = database((number) => number === 77)
    const { cache } = cacheOf({ all: numbered(99) })
    const ranking = await rankInMemory({ cache, kept: neverAsked, keptQuickly }, pageOf(10))
    expect(idsOf(ranking)).toEqual(['t77'])
  })
})

describe('a filter that was used before', () => {
  it.each([
    ['is asked about the nearest', (number: number) => number % 9 === 0, 200_001, 't27', ['soon']],
    ['waits for one if it keeps too few of these', () => false, 200_001, 'masked', ['awaited']],
    ['waits for one in a small project', () => true, 200_000, 'masked', ['awaited']],
  ])('%s while it has no mask', async (_, keeps, vectors, third, masksMade) => {
    const { kept: keptQuickly } = database(keeps)
    const masked = ['t0', 't9', 't18', 'masked']
    const stored = { all: numbered(9_000), masked, isNew: false, hasMask: false }
    const { cache, made } = cacheOf(stored)
    const page = { ...pageOf(4), collection: { ...collection, vectors } }
    const ranking = await rankInMemory({ cache, kept: neverAsked, keptQuickly }, page)
    expect(idsOf(ranking)?.at(3)).toBe(third)
    expect(made).toEqual(masksMade)
  })

  it('is asked again, as memory is, if the project has changed meanwhile', async () => {
    const tried = [
      { revisions: [5], times: 3, ids: ['t0', 't2'] },
      { revisions: [5, 7, 9, 11], times: 4, ids: undefined },
    ]
    for (const { revisions, times, ids } of tried) {
      const { asked, kept } = database((number) => number !== 1, revisions)
      const { cache } = cacheOf({ all: [], masked: numbered(3), changed: ['t1'], isNew: false })
      const tools = { cache, kept, keptQuickly: neverAsked }
      expect(idsOf(await rankInMemory(tools, pageOf(3)))).toEqual(ids)
      expect(asked).toHaveLength(times)
    }
  })

  it('is not all there is if much of it has changed', async () => {
    const masked = numbered(500)
    const { kept } = database((number) => number >= 100)
    const { cache } = cacheOf({ all: [], masked, changed: masked.slice(0, 150), isNew: false })
    const ranking = await rankInMemory({ cache, kept, keptQuickly: neverAsked }, pageOf(10, 20))
    expect(idsOf(ranking)).toEqual(masked.slice(120, 130))
  })
})
