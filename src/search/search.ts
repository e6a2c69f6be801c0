import { asc, lte, sql } from 'drizzle-orm'
import type { Collection } from '../access/project.ts'
import type { Database, Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { compared } from './conditions.ts'
import { maxDistance } from './distance.ts'
import { createExactRest } from './exact-rest.ts'
import { rankGroups } from './groups.ts'
import { reaches } from './index/effort.ts'
import { createIndexSearch } from './index/index-search.ts'
import type { SearchIndex } from './index/policy.ts'
import { fromComment } from './index/recall/recall-curve.ts'
import { createRankListed } from './listed.ts'
import { createMatches } from './matches.ts'
import type { VectorCache } from './memory/vector-cache.ts'
import { rankInMemory } from './memory-search.ts'
import { createFieldCheck, type MissingField } from './missing-field.ts'
import type { SearchOptions } from './options.ts'
import {
  filterKey,
  forEachVariant,
  isFiltered,
  type Query,
  type Search,
  type Variant,
  valuesOf,
  variantOf,
} from './query.ts'
import { type Ranking, rankingOf } from './ranking.ts'

/** An exact search compares every vector of the project: the nearest first, ties by text_id. */
const exactStatement = (db: Db, variant: Variant) =>
  compared(db, variant)
    .orderBy(({ distance, id }) => [asc(distance), asc(id)])
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'))
    .prepare('search_exactly')

export function createExactly(db: Db) {
  const statement = forEachVariant((variant: Variant) => exactStatement(db, variant))
  return (query: Query, { limit, offset }: Page) =>
    statement(variantOf(query)).execute({ ...valuesOf(query), limit, offset })
}

/** The ways to search, named as in `/metrics` and `Server-Timing`. */
export type Strategy = 'memory' | 'memory-exact' | 'matches' | 'index' | 'database-exact'

/** What is known about a search before it runs. */
export interface Situation {
  /** Whether every vector has to be compared. */
  readonly exact: boolean
  readonly isFiltered: boolean
  /** Whether the project's vectors are in memory, or may soon be. */
  readonly inMemory: boolean
  /** Whether an index has the query's dimensions, and whether its measured recall suffices. */
  readonly index: 'none' | 'reaches' | 'falls short'
  /** Whether the project is small enough for comparing every vector in the database. */
  readonly canScan: boolean
}

/**
 * The strategies to try, best first: if one cannot answer, the next is tried. Memory costs least
 * and finds most. An index with too little recall is used only if the project is too large to scan.
 * A filtered search compares all that the filter keeps, if that is little; otherwise it uses the
 * index.
 */
export function strategiesFor(situation: Situation): readonly Strategy[] {
  const { exact, isFiltered, inMemory, index, canScan } = situation
  if (exact) return inMemory ? ['memory-exact', 'database-exact'] : ['database-exact']
  const first: Strategy[] = inMemory ? ['memory'] : []
  if (index === 'none' || (index === 'falls short' && canScan)) return [...first, 'database-exact']
  return isFiltered && canScan ? [...first, 'matches', 'index'] : [...first, 'index']
}

/** A strategy returns undefined if it cannot answer. */
type Strategies = Readonly<Record<Strategy, (search: Search) => Promise<Ranking | undefined>>>

function createStrategies(database: Database, cache: VectorCache): Strategies {
  const { db } = database.search
  const exactly = createExactly(db)
  const exactRest = createExactRest(db)
  const rankListed = createRankListed(db)
  const matches = createMatches(db, database)

  const inMemory = (exact: boolean) => (search: Search) => {
    const { query } = search
    const filter = isFiltered(query)
      ? { key: filterKey(query), find: () => matches.all(query) }
      : undefined
    return rankInMemory({ cache, rankListed, exactRest }, { ...search, exact, matches: filter })
  }

  return {
    memory: inMemory(false),
    'memory-exact': inMemory(true),
    matches: async (search) => {
      const { query, page } = search
      const textIds = await matches.few(search)
      if (textIds === undefined) return undefined
      const nearest = await rankListed(query, textIds, page.offset + page.limit)
      return rankingOf(query, nearest.slice(page.offset), 'exact', true)
    },
    index: createIndexSearch(db, exactRest),
    'database-exact': async ({ query, page }) =>
      rankingOf(query, await exactly(query, page), 'exact', true),
  }
}

/** A ranking and how it was found. */
export interface FoundRanking extends Ranking {
  readonly strategy: Strategy
  /** Duration, including waits for a connection. */
  readonly milliseconds: number
  /** A field that a filter names and that none of the documents looked at has. */
  readonly missingField: MissingField | undefined
  /** How many documents reach the threshold; undefined if this was not asked for. */
  readonly totalSimilar: number | undefined
}

/** Ranks what is asked for, in groups or not, and adds what else the answer says. */
export type Rank = (
  collection: Collection,
  query: Query,
  options: SearchOptions,
) => Promise<FoundRanking>

/**
 * @param maxScan largest project, in components, in which a page that the index cannot fill is
 *   completed by an exact search
 */
export function createRank(database: Database, cache: VectorCache, maxScan: number): Rank {
  const { db } = database.search
  const strategies = createStrategies(database, cache)
  const missingField = createFieldCheck(db)

  return async (collection, query, options) => {
    const { grouping, minRecall, exact, limit, offset } = options
    const { dimensions } = query
    const start = performance.now()
    const canScan = collection.vectors * dimensions <= maxScan
    const index = indexOn(collection, dimensions)
    const { revision, history, vectors, collectionId } = collection
    const state = { collectionId, dimensions, vectors, revision, history }
    const search = { query, collection: state, index, minRecall, canScan }
    const isInMemory = collection.dimensions === dimensions && cache.serves(state)
    const plan = strategiesFor({
      exact,
      canScan,
      isFiltered: isFiltered(query),
      inMemory: isInMemory,
      index: index === undefined ? 'none' : reaches(index, minRecall) ? 'reaches' : 'falls short',
    })
    let strategy: Strategy = 'database-exact'
    const rankPage = async (page: Page) => {
      for (strategy of plan) {
        const ranking = await strategies[strategy]({ ...search, page })
        if (ranking !== undefined) return ranking
      }
      throw new Error(`None of ${plan.join(', ')} has found anything`)
    }
    const mayGroupAll = exact || collection.index === undefined || canScan
    const ranking =
      grouping === undefined
        ? await rankPage({ limit, offset })
        : await rankGroups({ db, query, grouping, rank: rankPage, mayGroupAll }, { limit, offset })
    return {
      ...ranking,
      strategy,
      milliseconds: performance.now() - start,
      missingField: await missingField(collection, options),
      totalSimilar: options.totals ? await countSimilar(db, query) : undefined,
    }
  }
}

/** The index on vectors of these dimensions, with its measured recall. */
function indexOn(
  { collectionId, vectors, dimensions, index }: Collection,
  wanted: number,
): SearchIndex | undefined {
  if (index === undefined || dimensions !== wanted) return undefined
  const { kind, comment } = index
  return { collectionId, vectors, dimensions, kind, recall: fromComment(comment) }
}

/** How many documents are results on any page. Compares every vector of the project. */
async function countSimilar(db: Db, query: Query): Promise<number> {
  const documents = compared(db, variantOf(query)).as('documents')
  const [row] = await db
    .select({ total: sql`count(*)`.mapWith(Number) })
    .from(documents)
    .where(lte(documents.distance, maxDistance(query)))
    .prepare('count_similar')
    .execute(valuesOf(query))
  return row?.total ?? 0
}
