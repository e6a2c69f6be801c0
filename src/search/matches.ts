import { and, not, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
import { type CollectionRevision, stateKey } from '../access/project.ts'
import { revisionOf } from '../collections/collections.ts'
import type { Database, Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { inProject, satisfies } from './conditions.ts'
import type { CollectionState } from './held/collection-state.ts'
import { coveredByMetadataIndex, hasMetadataIndex } from './index/catalog.ts'
import type { FilterMatches } from './memory/candidates.ts'
import { type InPieces, inPart, type Part, type Scan, workMs } from './pieces.ts'
import { filterKey, forEachVariant, type Query, type Search, type Variant } from './query.ts'

/**
 * How many can be compared one by one in the time of an index search, which grows with the index.
 */
const fewOf = ({ vectors }: CollectionState) => Math.round(1_500 * (vectors / 32_768) ** 0.4)
/** Limit of the cache, in characters. */
const maxCharacters = 16 * 2 ** 20
const tooMany = ''
const unlimited = Number.MAX_SAFE_INTEGER
const none = { count: 0, textIds: '[]' }

type MatchingVariant = Variant & {
  readonly part: Part
  /** Of the metadata index; undefined if none may be used. */
  readonly form: { readonly collectionId: number; readonly dimensions: number } | undefined
}

/** Remembers what filters keep, as JSON arrays of text_ids. */
export const newLists = () =>
  new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (ids, key) => ids.length + key.length,
  })

/** Names what the filter of a query keeps of a collection in this state. */
export const listKey = (
  serverHistory: number,
  { collection, query }: { readonly collection: CollectionRevision; readonly query: Query },
) => `${stateKey(serverHistory, collection)} ${query.dimensions} ${filterKey(query)}`

/** Finds the text_ids of what a filter or `metadata_path` keeps, as a JSON array. */
export function createMatches(
  db: Db,
  { history, isDistributed }: Pick<Database, 'history' | 'isDistributed'>,
  inPieces: InPieces,
) {
  const matching = forEachVariant((variant: MatchingVariant) => matchingStatement(db, variant))
  const remembered = newLists()

  const find = (query: Query, most: number, part: Part = 'all', bounds = {}) => {
    const { collectionId, dimensions } = query
    // With distributed embeddings, looking for a metadata index would ask every worker.
    const form = part === 'all' && !isDistributed ? { collectionId, dimensions } : undefined
    return matching(query, { form, part }, { ...bounds, most })
  }

  return {
    /** May have been found piece by piece, between changes of the project. */
    all: async (scan: Scan): Promise<FilterMatches> => {
      const lists: string[] = []
      const pieces = inPieces(scan, (part, bounds) => find(scan.query, unlimited, part, bounds))
      for await (const { count, textIds } of pieces) {
        if (count > 0) lists.push(textIds.slice(1, -1))
      }
      const revision = await revisionOf(db, scan.query.collectionId)
      return { textIds: `[${lists.join()}]`, revision }
    },

    /**
     * The matches, if they are few. They are cached until the project's embeddings or metadata
     * change.
     * @returns undefined if there are more than a few
     */
    few: async (search: Search): Promise<string | undefined> => {
      const few = fewOf(search.collection)
      const key = listKey(history(), search)
      let textIds = remembered.get(key)
      if (textIds === undefined) {
        const [found = none] = await find(search.query, few + 1)
        textIds = found.count > few ? tooMany : found.textIds
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
  const { form, part, indexed } = variant
  const value = sql.placeholder
  const scan = (condition = inProject) =>
    db
      .select({ id: embeddings.textId })
      .from(embeddings)
      .where(and(condition, inPart(part), satisfies(variant)))
      .limit(value('most'))
  const matches = () => {
    if (form === undefined || indexed === undefined) return scan()
    const isThere = hasMetadataIndex(db, form)
    const covered = and(isThere, coveredByMetadataIndex(form), indexed(value))
    return unionAll(scan(covered), scan(and(not(isThere), inProject)))
  }
  const matching = matches().as('matching')
  return db
    .select({
      count: sql`count(*)`.mapWith(Number),
      textIds: sql<string>`coalesce(json_agg(${matching.id}), '[]')::text`,
      milliseconds: workMs,
    })
    .from(matching)
    .prepare('find_matches')
}
