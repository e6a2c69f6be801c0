import { lte, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { maxDistance } from '../distance.ts'
import { comparedDocuments, queryVectorCte } from './conditions.ts'
import type { Query } from './query.ts'
import { valuesOf, variantOf } from './variant.ts'

/** How many documents are results on any page. Compares every vector of the project. */
export async function countSimilar(db: Db, query: Query): Promise<number> {
  const variant = variantOf(query, [])
  const sought = queryVectorCte(db, variant)
  const compared = comparedDocuments(db, variant, sought).as('compared')
  const [row] = await db
    .with(sought)
    .select({ total: sql`count(*)`.mapWith(Number) })
    .from(compared)
    .where(lte(compared.distance, maxDistance(query)))
    .prepare('count_similar')
    .execute(valuesOf(query, []))
  return row?.total ?? 0
}
