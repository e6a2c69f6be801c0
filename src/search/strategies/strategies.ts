import type { Database } from '../../db/database.ts'
import { effortsFor, inOneBeam } from '../index/effort.ts'
import { singlePassEfforts } from '../index/filtered-effort.ts'
import type { VectorCache } from '../memory/vector-cache.ts'
import type { Strategy } from '../plan.ts'
import { isFiltered, type Search } from '../statements/query.ts'
import { createStatements } from '../statements/statements.ts'
import { rankCached } from './cached.ts'
import { rankWithIndex } from './indexed.ts'
import { createKeptShare } from './kept-share.ts'
import { createMatches, keyOf } from './matches.ts'
import { type Ranking, rankExactly, rankMatches } from './ranking.ts'

/** A strategy returns undefined if it cannot answer. */
type Strategies = Readonly<Record<Strategy, (search: Search) => Promise<Ranking | undefined>>>

export function createStrategies(database: Database, cache: VectorCache): Strategies {
  const { db } = database.search
  const statements = createStatements(db, database.engine === 'embedded')
  const matches = createMatches(db, database)
  const keptShare = createKeptShare(db)

  const inMemory = (exact: boolean) => (search: Search) => {
    const { query } = search
    const mask = isFiltered(query)
      ? { key: keyOf(query), find: () => matches.all(query) }
      : undefined
    return rankCached({ cache, statements, matches: mask }, search, exact)
  }

  return {
    memory: inMemory(false),
    'memory-exact': inMemory(true),
    matches: async (search) => {
      const textIds = await matches.few(search)
      return textIds === undefined ? undefined : rankMatches(statements, search, textIds)
    },
    index: async (search) => {
      const { index, query, canScan, minRecall } = search
      if (index === undefined) return undefined
      const isPartial = isFiltered(query)
      // If the rest cannot be scanned, the graph is searched further.
      const stages = !canScan
        ? effortsFor(index, { minRecall, isFiltered: isPartial })
        : isPartial
          ? singlePassEfforts(index, await keptShare(search), minRecall)
          : effortsFor(index, { minRecall }).map(inOneBeam)
      return rankWithIndex(statements, search, index, stages)
    },
    'database-exact': (search) => rankExactly(statements, search),
  }
}
