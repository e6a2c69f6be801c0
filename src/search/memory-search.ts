import { unlessTooSlow } from '../db/errors.ts'
import type { Page } from '../db/page.ts'
import { type Kept, listedAtOnce } from './listed.ts'
import type { Matches, NearestStored } from './memory/candidates.ts'
import type { VectorCache } from './memory/vector-cache.ts'
import type { Candidate, Search } from './query.ts'
import { maxDistance, type Ranking, rankingOf } from './ranking.ts'

/** Further down a ranking, the database searches. */
export const maxPlaces = 2_000
export const isTooDeep = ({ offset, limit }: Page) => offset + limit > maxPlaces
/**
 * For a filter without a mask, the nearest are found without it, so many times as many as
 * wanted; the database says which of them it keeps. If these are enough, what else it keeps need not
 * be looked up. If not, at most so many times as many are looked at next.
 */
const perFilter = 10
const maxPerFilter = 4_000
/** So many times as many as are needed if the filter keeps the same share of what follows. */
const slack = 1.5
/** To ask about one of the nearest costs as much as a filter of so many embeddings of the project. */
const costOfAsking = 16
/** So many of the nearest tell how many of the others a filter keeps. */
const telling = 1_000

/**
 * In a project of so many, all that a filter keeps is found in half a second, for which its second search waits. Where
 * many filters are used in turn, all have their masks sooner than if they were made one by one.
 */
const mostAwaited = 200_000
/** If others write all the time, a mask is not made more often for one search; the database searches. */
const maxTimesMasked = 3

/** How often memory is asked again if the project has changed while the database was asked. */
const maxAgain = 3

interface Tools {
  readonly cache: VectorCache
  readonly kept: Kept
  /** Gives up on a filter that takes long, so that others get their turn. */
  readonly keptQuickly: Kept
}

/** A search in memory: exact or not, and what its filter keeps; undefined without one. */
interface MemorySearch extends Search {
  readonly exact: boolean
  readonly matches: Matches | undefined
}

/** The first of a ranking. */
interface Head {
  readonly candidates: readonly Candidate[]
  readonly isExact: boolean
}

/**
 * Ranks vectors in memory, which is as recent as the search at least. The database says only what a
 * filter keeps.
 * @returns undefined if the cache cannot tell
 */
export async function rankInMemory(
  tools: Tools,
  search: MemorySearch,
): Promise<Ranking | undefined> {
  const { query, page, matches } = search
  const wanted = page.offset + page.limit
  if (isTooDeep(page)) return undefined
  if (search.index === null) await tools.cache.untilRead(search.collection)
  const head =
    matches === undefined
      ? await headOf(tools, search, wanted)
      : await ofFilter(tools, search, matches, wanted)
  if (head === undefined) return undefined
  const mode = head.isExact ? 'exact' : 'approximate'
  return rankingOf(query, head.candidates.slice(page.offset, wanted), mode, true)
}

/**
 * Makes no mask: to count once is not worth one, which displaces that of another filter.
 * @returns how many embeddings reach the threshold; undefined if the cache cannot tell
 */
export async function countInMemory(
  tools: Tools,
  search: Omit<MemorySearch, 'page'>,
): Promise<number | undefined> {
  let { collection } = search
  const within = maxDistance(search.query)
  for (let time = 0; time < 2; time += 1) {
    const found = await nearest(tools, { ...search, collection }, 0, search.matches, within)
    // To ask about more than one statement does takes longer than to count in the database.
    if (found?.counted === undefined || found.textIds.length > listedAtOnce) return undefined
    const kept = await keptOf(tools, search, new Set(found.textIds))
    if (kept === undefined) return undefined
    if (kept.revision <= found.revision) return found.counted + kept.ids.size
    collection = { ...collection, revision: kept.revision }
  }
  return undefined
}

async function headOf(tools: Tools, search: MemorySearch, count: number) {
  const found = await nearest(tools, search, count)
  return found && { candidates: candidatesOf(found), isExact: found.isExact }
}

/**
 * By its mask. While there is none, by what the database keeps of the nearest; if that is too little, and in a small
 * project, the search waits for the mask. A new filter may never be used again, so no mask is made for others.
 */
async function ofFilter(tools: Tools, search: MemorySearch, matches: Matches, wanted: number) {
  const { masks } = tools.cache
  const { collectionId, vectors } = search.collection
  const byMask = await ofMask(tools, search, matches, wanted)
  if (byMask !== 'no mask') return byMask
  const isNew = masks.isNew(collectionId, matches.key)
  if (isNew || vectors > mostAwaited) {
    const byNearest = await ofNearest(tools, search, wanted)
    if (byNearest !== undefined) {
      if (!isNew) masks.makeSoon(collectionId, matches)
      return byNearest
    }
  }
  for (let made = 0; made < maxTimesMasked; made += 1) {
    if (!(await masks.make(collectionId, matches))) return undefined
    const byMade = await ofMask(tools, search, matches, wanted)
    if (byMade !== 'no mask') return byMade
  }
  return undefined
}

/** @returns undefined if the filter keeps too few of the nearest */
async function ofNearest(
  tools: Tools,
  search: MemorySearch,
  wanted: number,
): Promise<Head | undefined> {
  const known: Known = new Map()
  const most = Math.min(maxPerFilter, search.collection.vectors / costOfAsking)
  for (let next = perFilter * wanted; ; ) {
    const count = Math.min(next, maxPerFilter)
    if (count < 2 * wanted || count <= known.size || count > most) return undefined
    const found = await lookedUp(tools, search, count, known)
    if (found === undefined) return undefined
    const candidates = candidatesOf(found).filter(({ id }) => known.get(id)?.isKept)
    const isAll = found.textIds.length < count
    if (isAll || candidates.length >= wanted) return { candidates, isExact: found.isExact }
    const share = candidates.length / count
    if (count >= telling && 2 * share * most < wanted) return undefined
    next = Math.ceil(Math.min(perFilter * count, (slack * wanted) / share))
  }
}

/** Whether a filter keeps embeddings that are so far from the query. */
type Known = Map<string, { readonly distance: number; readonly isKept: boolean }>

/**
 * The nearest, all of which are known then. If others were there when the database said what the
 * filter keeps, those whose vectors have changed are looked up again.
 */
async function lookedUp(
  tools: Tools,
  search: MemorySearch,
  count: number,
  known: Known,
): Promise<NearestStored | undefined> {
  let { collection } = search
  for (let time = 0; time <= maxAgain; time += 1) {
    const found = await nearest(tools, { ...search, collection }, count)
    if (found === undefined) return undefined
    const asked = candidatesOf(found).filter(
      ({ id, distance }) => known.get(id)?.distance !== distance,
    )
    if (asked.length === 0) return found
    const ids = asked.map(({ id }) => id)
    const kept = await unlessTooSlow(tools.keptQuickly(search.query, ids))
    if (kept === undefined) return undefined
    for (const { id, distance } of asked) known.set(id, { distance, isKept: kept.ids.has(id) })
    if (kept.revision <= found.revision) return found
    collection = { ...collection, revision: kept.revision }
  }
  return undefined
}

/** Finds the nearest in a mask, of which the database is asked only about what has changed since. */
async function ofMask(
  tools: Tools,
  search: MemorySearch,
  matches: Matches,
  wanted: number,
): Promise<Head | 'no mask' | undefined> {
  let { collection } = search
  let again = 0
  for (let count = wanted; count <= 4 * maxPlaces; ) {
    const found = await ask(tools, { ...search, collection }, count, matches)
    if (found === undefined || found === 'no mask') return found
    const unsure = new Set(found.unsure.map((place) => found.textIds[place] ?? ''))
    const kept = await keptOf(tools, search, unsure)
    if (kept === undefined) return undefined
    if (kept.revision > found.revision) {
      // The database has seen other embeddings than these.
      again += 1
      if (again > maxAgain) return undefined
      collection = { ...collection, revision: kept.revision }
      continue
    }
    const candidates = candidatesOf(found).filter(({ id }) => !unsure.has(id) || kept.ids.has(id))
    const isAll = found.textIds.length < count
    if (isAll || candidates.length >= wanted) return { candidates, isExact: found.isExact }
    count *= 4
  }
  return undefined
}

const keptOf = (
  tools: Tools,
  { query }: Pick<MemorySearch, 'query'>,
  unsure: ReadonlySet<string>,
) =>
  unsure.size === 0 ? { ids: unsure, revision: 0 } : unlessTooSlow(tools.kept(query, [...unsure]))

/** The same where no mask is as good as no answer. */
async function nearest(...asked: Parameters<typeof ask>): Promise<NearestStored | undefined> {
  const found = await ask(...asked)
  return found === 'no mask' ? undefined : found
}

function ask(
  { cache }: Tools,
  { query, collection, exact, minRecall }: Omit<MemorySearch, 'page'>,
  count: number,
  matches?: Matches,
  within?: number,
) {
  const { source, includeSelf } = query
  const without = [...query.without, ...('textId' in source && !includeSelf ? [source.textId] : [])]
  const mask = matches?.key
  return cache.nearest(collection, {
    query: source,
    count,
    within,
    exact,
    minRecall,
    without,
    mask,
  })
}

const candidatesOf = ({ textIds, distances }: NearestStored): Candidate[] =>
  textIds.map((id, place) => ({ id, distance: distances[place] ?? 2 }))
