import { asc, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { compared, isNotExcluded } from './conditions.ts'
import {
  type Candidate,
  forEachVariant,
  type Query,
  type Search,
  type Variant,
  valuesOf,
  variantOf,
} from './query.ts'
import { type Ranking, rankingOf } from './ranking.ts'

/** The rest of a page, after the head of a ranking. */
interface Rest {
  /** Includes those below the threshold. `nearest` is the distance of the nearest that is left. */
  readonly candidates: readonly (Candidate & { readonly nearest: number })[]
  /** Whether these are all that belong on the page, including those below the threshold. */
  readonly isAll: boolean
}

/** Finds a page of the exact ranking without the embeddings of `excludedIds`. */
export type FindRest = (page: Page, excludedIds: readonly string[]) => Promise<Rest>

/** Compares every vector of the project. */
export function createExactRest(db: Db) {
  const statement = forEachVariant((variant: Variant) => restStatement(db, variant))
  return (query: Query): FindRest =>
    async ({ limit, offset }, excludedIds) => {
      const candidates = await statement(variantOf(query)).execute({
        ...valuesOf(query),
        excludedIds: JSON.stringify(excludedIds),
        nearest: offset + limit + excludedIds.length,
        limit,
        offset,
      })
      return { candidates, isAll: true }
    }
}

/**
 * The inner query takes the nearest in the total order of an exact search, so that pages neither
 * overlap nor leave gaps. The outer query applies excluded ids and paging to these few rows.
 */
function restStatement(db: Db, variant: Variant) {
  const best = compared(db, variant)
    .orderBy((columns) => [asc(columns.distance), asc(columns.id)])
    .limit(sql.placeholder('nearest'))
    .as('best')
  return db
    .select({
      id: best.id,
      distance: best.distance,
      nearest: sql`min(${best.distance}) over ()`.mapWith(Number),
    })
    .from(best)
    .where(isNotExcluded(best.id))
    .orderBy(asc(best.distance), asc(best.id))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'))
    .prepare('search_rest')
}

/** Continues a ranking with an exact search after its head. */
export async function continueExactly(
  { query, page: { offset, limit } }: Search,
  head: readonly Candidate[],
  findRest: FindRest,
): Promise<Ranking> {
  const begun = head.slice(offset)
  const rest = { offset: Math.max(0, offset - head.length), limit: limit - begun.length }
  const { candidates, isAll } = await findRest(
    rest,
    head.map(({ id }) => id),
  )
  // If nothing in the rest is nearer than the head, an exact search would begin with the head too.
  const nearest = candidates[0]?.nearest ?? Number.POSITIVE_INFINITY
  const isMissed = head.some(({ distance }) => distance >= nearest)
  return rankingOf(query, [...begun, ...candidates], isMissed ? 'approximate' : 'exact', isAll)
}
