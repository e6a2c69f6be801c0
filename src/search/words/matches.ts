import { and, eq, sql } from 'drizzle-orm'
import type { Collection } from '../../access/project.ts'
import type { Database, Db } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import { embeddings } from '../../db/schema.ts'
import { unprocessable } from '../../errors.ts'
import { satisfies } from '../conditions.ts'
import { createMatches } from '../matches.ts'
import { createInPieces } from '../pieces.ts'
import { forEachVariant, isFiltered, type Query, type Variant } from '../query.ts'
import type { WordMatches } from './thread.ts'
import type { WordCache } from './word-cache.ts'

/** So many of the best matches are checked against a filter before all that it keeps is listed. */
const checkedFirst = 1_000
/** The thread needs several times as much memory for what a filter keeps. */
const maxKeptCharacters = 32 * 2 ** 20

const keepsTooMuch = () =>
  unprocessable(
    'The filter keeps too many embeddings for this search by words; use one that keeps fewer, or words that more of them have',
  )

/** Finds a page of the best matches for words among what the filter of a query keeps. */
export function createFindMatches(database: Database, cache: WordCache) {
  const { db } = database.search
  const keptOf = forEachVariant((variant: Variant) => keptStatement(db, variant))
  const matches = createMatches(db, database, createInPieces(db, database))

  return async (
    collection: Collection,
    query: Query,
    words: string,
    page: Page,
    counted: boolean,
  ): Promise<WordMatches> => {
    const find = (part: Page, kept?: string) =>
      cache.search(collection, { words, page: part, kept })
    if (!isFiltered(query)) return find(page)
    const end = page.offset + page.limit
    if (!counted && end < checkedFirst) {
      const { found, total } = await find({ offset: 0, limit: checkedFirst })
      const listedIds = JSON.stringify(found.map(({ textId }) => textId))
      const rows = await keptOf(query, {}, { listedIds })
      const keptIds = new Set(rows.map(({ id }) => id))
      const kept = found.filter(({ textId }) => keptIds.has(textId))
      const isAll = found.length === total
      if (isAll || kept.length >= end) {
        return { found: kept.slice(page.offset, end), total: isAll ? kept.length : total }
      }
    }
    const all = await matches.all({ query, collection })
    if (all.length > maxKeptCharacters) throw keepsTooMuch()
    return find(page, all)
  }
}

/** Of the listed documents, those that a filter keeps. */
export function keptStatement(db: Db, variant: Variant) {
  const kept = db
    .select({ id: embeddings.textId })
    .from(embeddings)
    .where(
      and(
        sql`${embeddings.textId} = listed.id`,
        eq(embeddings.collectionId, sql.placeholder('collectionId')),
        satisfies(variant),
      ),
    )
    // Each is looked up by its key: the limit keeps PostgreSQL from reading and joining the project.
    .limit(1)
    .as('kept')
  const listedIds = sql`${sql.placeholder('listedIds')}::jsonb`
  return db
    .select({ id: kept.id })
    .from(sql`jsonb_array_elements_text(${listedIds}) as listed (id)`)
    .innerJoinLateral(kept, sql`true`)
    .prepare('keep_listed')
}
