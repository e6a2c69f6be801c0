import { and, gt, lte, not, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
import { textIdAfter } from '../collections/keys.ts'
import { cancelled } from '../concurrency/limiter.ts'
import type { Database, Db } from '../db/database.ts'
import { filterTakesTooLong, tookTooLong } from '../db/errors.ts'
import { embeddings } from '../db/schema.ts'
import { inProject, satisfies } from './conditions.ts'
import {
  coveredByMetadataIndex,
  hasMetadataIndex,
  type MetadataIndexForm,
} from './index/metadata-index.ts'
import type { CollectionState } from './memory/candidates.ts'
import {
  filterKey,
  forEachVariant,
  type Query,
  type Search,
  type Variant,
  valuesOf,
  variantOf,
} from './query.ts'

/**
 * How many can be compared one by one in the time of an index search, which grows with the index.
 */
const fewOf = ({ vectors }: CollectionState) => Math.round(1_500 * (vectors / 32_768) ** 0.4)
/** Limit of the cache, in characters. */
const maxCharacters = 16 * 2 ** 20
const tooMany = ''
const unlimited = Number.MAX_SAFE_INTEGER

/**
 * The embedded engine does one thing at a time, so it looks through a project piece by piece. A
 * piece should take this long; others get their turn in between.
 */
const pieceMs = 100
const piece = { firstRows: 8, mostRows: 50_000, mostGrowth: 8 }
/** How long the engine may work on all pieces of a search, without its waits in between. */
const usualMostMs = 30_000

interface MatchingVariant extends Variant {
  readonly form: MetadataIndexForm
  /** Whether to look only at the text_ids after one, or between two. */
  readonly range?: 'after' | 'between'
}

/**
 * Finds the text_ids of what a filter or `metadata_path` keeps, as a JSON array.
 * @param mostMs after so much work of the embedded engine a search is given up, with 503
 */
export function createMatches(
  db: Db,
  database: Pick<Database, 'engine' | 'history' | 'isDistributed' | 'requester'>,
  mostMs = usualMostMs,
) {
  const { engine, history, isDistributed } = database
  const statement = forEachVariant((variant: MatchingVariant) => matchingStatement(db, variant))
  const remembered = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (ids, key) => ids.length + key.length,
  })

  async function find(query: Query, most: number) {
    const { collectionId, dimensions } = query
    const variant = variantOf(query)
    // With distributed embeddings, looking for a metadata index would ask every worker.
    const indexed = isDistributed ? undefined : variant.indexed
    const [row] = await statement({
      ...variant,
      indexed,
      form: { collectionId, dimensions },
    }).execute({ ...valuesOf(query), most })
    return row ?? { count: 0, textIds: '[]' }
  }

  async function findPieceByPiece(query: Query): Promise<string> {
    const { collectionId, dimensions } = query
    const form = { collectionId, dimensions }
    const pieces: string[] = []
    let rows = piece.firstRows
    let spentMs = 0
    for (let after: string | undefined = ''; after !== undefined; ) {
      // The engine runs what it is given at once, also for a client that has left.
      if (database.requester()?.signal.aborted) throw cancelled()
      if (spentMs > mostMs) throw filterTakesTooLong()
      const start = performance.now()
      const upTo: string | undefined = await textIdAfter(db, collectionId, after, rows)
      const range = upTo === undefined ? 'after' : 'between'
      const variant = { ...variantOf(query), indexed: undefined, form, range } as const
      const values = { ...valuesOf(query), most: unlimited, after, upTo }
      const found = await statement(variant)
        .execute(values)
        .catch((error) => {
          if (!tookTooLong(error)) throw error
          // The database would take as long for the whole project, and at once.
          if (rows === 1) throw filterTakesTooLong(error)
        })
      if (found === undefined) {
        // The metadata here are much larger than those before.
        rows = 1
        spentMs += performance.now() - start
        continue
      }
      const [row] = found
      spentMs += row?.milliseconds ?? 0
      if (row !== undefined && row.count > 0) pieces.push(row.textIds.slice(1, -1))
      const growth = Math.min(pieceMs / Math.max(row?.milliseconds ?? 0, 1), piece.mostGrowth)
      rows = Math.round(Math.min(Math.max(rows * growth, 1), piece.mostRows))
      after = upTo
    }
    return `[${pieces.join()}]`
  }

  return {
    /** May have been found piece by piece, between changes of the project. */
    all: async (query: Query): Promise<string> =>
      engine === 'embedded' ? findPieceByPiece(query) : (await find(query, unlimited)).textIds,

    /**
     * The matches, if they are few. They are cached until the project's embeddings or metadata
     * change.
     * @returns undefined if there are more than a few
     */
    few: async ({ query, collection }: Search): Promise<string | undefined> => {
      const { collectionId, dimensions, revision } = collection
      const few = fewOf(collection)
      const since = `${history()} ${collection.history} ${revision}`
      const key = `${since} ${collectionId} ${dimensions} ${filterKey(query)}`
      let textIds = remembered.get(key)
      if (textIds === undefined) {
        const matching = await find(query, few + 1)
        textIds = matching.count > few ? tooMany : matching.textIds
        remembered.set(key, textIds)
      }
      return textIds === tooMany ? undefined : textIds
    },
  }
}

/**
 * Lists what a filter keeps, by the project's metadata index if it exists and covers part of the
 * filter.
 */
function matchingStatement(db: Db, variant: MatchingVariant) {
  const { form, indexed, range } = variant
  const value = sql.placeholder
  const inRange = and(
    range === undefined ? undefined : gt(embeddings.textId, value('after')),
    range === 'between' ? lte(embeddings.textId, value('upTo')) : undefined,
  )
  const scan = (condition = inProject) =>
    db
      .select({ id: embeddings.textId })
      .from(embeddings)
      .where(and(condition, inRange, satisfies(variant)))
      .limit(value('most'))
  const isThere = hasMetadataIndex(db, form)
  const matches =
    indexed === undefined
      ? scan()
      : unionAll(
          scan(and(isThere, coveredByMetadataIndex(form), indexed(value))),
          scan(and(not(isThere), inProject)),
        )
  const matching = matches.as('matching')
  return db
    .select({
      count: sql`count(*)`.mapWith(Number),
      textIds: sql<string>`coalesce(json_agg(${matching.id}), '[]')::text`,
      milliseconds:
        sql`1000 * extract(epoch from clock_timestamp() - statement_timestamp())`.mapWith(Number),
    })
    .from(matching)
    .prepare('find_matches')
}
