import { asc, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { comparedDocuments, isNotExcluded, queryVectorCte } from './conditions.ts'
import type { Variant } from './variant.ts'

const value = sql.placeholder

/**
 * Compares every vector of a project. The inner query takes the nearest in a total order (distance,
 * then text_id), so that pages neither overlap nor leave gaps. The outer query applies excluded ids
 * and paging to these few rows.
 */
export function exactStatement(db: Db, variant: Variant) {
  const sought = queryVectorCte(db, variant)
  const best = comparedDocuments(db, variant, sought)
    .orderBy((columns) => [asc(columns.distance), asc(columns.id)])
    .limit(value('nearest'))
    .as('best')
  return db
    .with(sought)
    .select({
      id: best.id,
      distance: best.distance,
      nearest: sql`min(${best.distance}) over ()`.mapWith(Number),
    })
    .from(best)
    .where(isNotExcluded(variant, best.id))
    .orderBy(asc(best.distance), asc(best.id))
    .limit(value('limit'))
    .offset(value('offset'))
    .prepare('search_exactly')
}
