import { LRUCache } from 'lru-cache'
import type { Collection } from '../../access/project.ts'
import type { Database } from '../../db/database.ts'
import { allVisible } from '../../db/distributed.ts'
import type { Page } from '../../db/page.ts'
import { unprocessable } from '../../errors.ts'
import { keptStatement } from '../listed.ts'
import { createMatches, listKey, newLists } from '../matches.ts'
import { createInPieces } from '../pieces.ts'
import { forEachVariant, isFiltered, type Query, type Variant } from '../query.ts'
import type { SoughtWords, WordMatches } from './thread.ts'
import type { WordCache } from './word-cache.ts'

/**
 * So many of the best matches are checked against a new filter before all that it keeps is listed:
 * first this many times the wanted ones, then the most.
 */
const checkedFirst = { perWanted: 10, most: 1_000 }
/** Up to so many embeddings, what a filter keeps is listed when it is used again. */
const maxListed = 100_000
/** How many filters are remembered as used. */
const maxUsed = 10_000
/** The thread needs several times as much memory for what a filter keeps. */
const maxKeptCharacters = 32 * 2 ** 20

const keepsTooMuch = () =>
  unprocessable(
    'The filter keeps too many embeddings for this search by words; use one that keeps fewer, or words that more of them have',
  )

/**
 * Finds a page of the best matches for words among what the filter of a query keeps. What it keeps
 * is remembered until the project changes.
 */
export function createFindMatches(database: Database, cache: WordCache) {
  const { db } = database.search
  const keptOf = forEachVariant((variant: Variant) => keptStatement(db, variant))
  const matches = createMatches(db, database, createInPieces(db, database))
  const lists = newLists()
  const used = new LRUCache<string, true>({ max: maxUsed })

  /** Of the best matches, those that the filter keeps; undefined if they are too few for the page. */
  async function among(
    query: Query,
    { offset, limit }: Page,
    find: (part: Page) => Promise<WordMatches>,
    mayList: boolean,
  ): Promise<WordMatches | undefined> {
    const end = offset + limit
    if (end >= checkedFirst.most) return undefined
    const first = Math.min(checkedFirst.perWanted * end, checkedFirst.most)
    for (let checked = first; ; checked = checkedFirst.most) {
      const { found, total } = await find({ offset: 0, limit: checked })
      const listedIds = JSON.stringify(found.map(({ textId }) => textId))
      const rows = await keptOf(query, {}, { listedIds })
      const keptIds = new Set(rows.map(({ id }) => id))
      const kept = found.filter(({ textId }) => keptIds.has(textId))
      const isAll = found.length === total
      if (isAll || kept.length >= end) {
        return { found: kept.slice(offset, end), total: isAll ? kept.length : total }
      }
      const expected = kept.length * (checkedFirst.most / checked)
      if (checked === checkedFirst.most || (mayList && expected < end)) return undefined
    }
  }

  return async (
    collection: Collection,
    query: Query,
    words: SoughtWords,
    page: Page,
    counted: boolean,
  ): Promise<WordMatches> => {
    const find = (part: Page, kept?: string) => cache.search(collection, words, part, kept)
    if (!isFiltered(query)) return find(page)
    const { collectionId, vectors } = collection
    const key = listKey(database.history(), { collection, query })
    const known = lists.get(key)
    if (known !== undefined) return find(page, known)
    const mayList = vectors <= maxListed
    const isNew = !used.has(key)
    used.set(key, true)
    if (!counted && (isNew || !mayList)) {
      const found = await among(query, page, find, mayList)
      if (found !== undefined) return found
    }
    await allVisible(db, collectionId)
    const { textIds: all } = await matches.all({ query, collection })
    if (all.length > maxKeptCharacters) throw keepsTooMuch()
    lists.set(key, all)
    return find(page, all)
  }
}
