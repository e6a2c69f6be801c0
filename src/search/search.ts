import { lte, sql } from 'drizzle-orm'
import type { Collection } from '../access/project.ts'
import type { Database, Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { createGroupAll } from './all-groups.ts'
import { compared } from './conditions.ts'
import { createExactly } from './exactly.ts'
import { maxWalkedByVector, type RankAsked } from './groups.ts'
import { reaches } from './index/effort.ts'
import { createIndexSearch } from './index/index-search.ts'
import { createKept, createRankListed } from './listed.ts'
import { createMatches } from './matches.ts'
import type { VectorCache } from './memory/vector-cache.ts'
import { countInMemory, isTooDeep, rankInMemory } from './memory-search.ts'
import type { SearchOptions } from './options.ts'
import {
  createInPieces,
  type InPieces,
  inAllParts,
  type Part,
  type Scan,
  workMs,
} from './pieces.ts'
import {
  filterKey,
  forEachVariant,
  isFiltered,
  type Query,
  type Search,
  type Variant,
} from './query.ts'
import { edgeOf, maxDistance, type Ranking, rankingOf } from './ranking.ts'

/** The ways to search, named as in `/metrics` and `Server-Timing`. */
export type Strategy = 'memory' | 'memory-exact' | 'matches' | 'index' | 'database-exact' | 'words'

type VectorStrategy = Exclude<Strategy, 'words'>

/** What is known about a search before it runs. */
export interface Situation {
  /** Whether every vector has to be compared. */
  readonly exact: boolean
  readonly isFiltered: boolean
  /** Whether the project's vectors are in memory, or may soon be. */
  readonly inMemory: boolean
  /** Whether an index has the query's dimensions, and finds as much as is asked for. */
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
export function strategiesFor(situation: Situation): readonly VectorStrategy[] {
  const { exact, isFiltered, inMemory, index, canScan } = situation
  if (exact) return inMemory ? ['memory-exact', 'database-exact'] : ['database-exact']
  const first: VectorStrategy[] = inMemory ? ['memory'] : []
  if (index === 'none' || (index === 'falls short' && canScan)) return [...first, 'database-exact']
  return isFiltered && canScan ? [...first, 'matches', 'index'] : [...first, 'index']
}

/** A strategy returns undefined if it cannot answer. */
type Strategies = Readonly<Record<VectorStrategy, (search: Search) => Promise<Ranking | undefined>>>

function createStrategies(database: Database, cache: VectorCache, inPieces: InPieces) {
  const { db } = database.search
  const exactly = createExactly(db, inPieces)
  const rankListed = createRankListed(db)
  const kept = createKept(db)
  const keptQuickly = createKept(db, database.engine === 'embedded' ? 'all quickly' : 'all')
  const matches = createMatches(db, database, inPieces)
  const tools = { cache, kept, keptQuickly }
  const countInDatabase = createCountSimilar(db, inPieces)

  const inMemory = (search: Omit<Search, 'page'>, exact: boolean) => {
    const { query } = search
    const filter = { key: filterKey(query), find: () => matches.all(search) }
    return { ...search, exact, matches: isFiltered(query) ? filter : undefined }
  }
  const rankBy = (exact: boolean) => (search: Search) =>
    rankInMemory(tools, { ...inMemory(search, exact), page: search.page })

  const strategies: Strategies = {
    memory: rankBy(false),
    'memory-exact': rankBy(true),
    matches: async (search) => {
      const { query, page } = search
      const textIds = await matches.few(search)
      if (textIds === undefined) return undefined
      const nearest = await rankListed(query, textIds, page.offset + page.limit)
      return rankingOf(query, nearest.slice(page.offset), 'exact', true)
    },
    index: createIndexSearch(db, exactly),
    'database-exact': async (search) => {
      const { candidates } = await exactly(search, search.page)
      return rankingOf(search.query, candidates, 'exact', true)
    },
  }
  /** Counts the documents that are results on any page. */
  const countSimilar = async (search: Omit<Search, 'page'>, isInMemory: boolean) => {
    const total = isInMemory ? await countInMemory(tools, inMemory(search, true)) : undefined
    return total ?? countInDatabase(search)
  }
  return { strategies, countSimilar }
}

/** A ranking, and the strategy that has found it. */
export interface StrategyRanking extends Ranking {
  readonly strategy: Strategy
  /** Why every vector was compared in the database though the vectors could be in memory. */
  readonly notInMemory: 'reading' | 'room' | undefined
  /** How many documents reach the threshold; undefined if this was not asked for. */
  readonly totalSimilar: number | undefined
}

/** What a search has found, and what the answer says of it. */
export interface FoundRanking extends StrategyRanking {
  /** Duration, including waits for a connection. */
  readonly milliseconds: number
  /** Says that no document has a field which the search names, or none has a value of its type. */
  readonly missingField: string | undefined
}

/** Ranks what is asked for, in groups or not, and adds what else the answer says. */
export type Rank = (
  collection: Collection,
  query: Query,
  options: SearchOptions,
) => Promise<StrategyRanking>

/**
 * @param maxScan largest project, in components, in which a page that the index cannot fill is
 *   completed by an exact search
 */
export function createRank(
  database: Database,
  cache: VectorCache,
  maxScan: number,
  rankAsked: RankAsked,
): Rank {
  const { db } = database.search
  const inPieces = createInPieces(db, database)
  const { strategies, countSimilar } = createStrategies(database, cache, inPieces)
  const groupAll = createGroupAll(db, inPieces)

  return async (collection, query, options) => {
    const { minRecall, exact } = options
    const { dimensions } = query
    const canScan = collection.vectors * dimensions <= maxScan
    const index = collection.dimensions === dimensions ? collection.index : null
    const state = { ...collection, dimensions }
    const search = { query, collection: state, index, minRecall, canScan }
    const isInMemory = collection.dimensions === dimensions && cache.serves(state)
    const plan = strategiesFor({
      exact,
      canScan,
      isFiltered: isFiltered(query),
      inMemory: isInMemory,
      index: index === null ? 'none' : reaches(minRecall) ? 'reaches' : 'falls short',
    })
    let strategy: VectorStrategy = 'database-exact'
    let lack: StrategyRanking['notInMemory']
    const rank = async (page: Page) => {
      for (strategy of plan) {
        const ranking = await strategies[strategy]({ ...search, page })
        if (ranking !== undefined) return ranking
        // By the time that the database has answered, the vectors may be in memory.
        lack ??= isInMemory && !isTooDeep(page) ? cache.lackOf(state) : undefined
      }
      throw new Error(`None of ${plan.join(', ')} has found anything`)
    }
    const mayGroupAll = exact || collection.index === null || canScan
    const { collectionId } = collection
    const found = { collectionId, rank, maxWalked: maxWalkedByVector }
    const ranking = await rankAsked(
      { ...found, groupAll: mayGroupAll ? groupAll(search) : undefined },
      options,
    )
    return {
      ...ranking,
      strategy,
      notInMemory: !exact && strategy === 'database-exact' ? lack : undefined,
      totalSimilar: options.totals ? await countSimilar(search, isInMemory) : undefined,
    }
  }
}

/** Compares every vector of the project. */
function createCountSimilar(db: Db, inPieces: InPieces) {
  const countIn = forEachVariant(({ part, ...variant }: Variant & { readonly part: Part }) => {
    const documents = compared(db, variant, part, 'between').as('documents')
    return db
      .select({ total: sql`count(*)`.mapWith(Number), milliseconds: workMs })
      .from(documents)
      .where(lte(documents.distance, sql.placeholder('maxDistance')))
      .prepare('count_similar')
  })
  return async (scan: Scan): Promise<number> => {
    const queryFor = inAllParts(db, scan.query)
    const range = { ...edgeOf(scan.query), maxDistance: maxDistance(scan.query) }
    let total = 0
    const pieces = inPieces(scan, async (part, bounds) => {
      const given = await queryFor(part)
      const values = { ...bounds, ...range }
      return given === undefined ? [] : countIn(given, { part }, values)
    })
    for await (const piece of pieces) total += piece.total
    return total
  }
}
