import { and, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { maxDistance } from '../vectors/distance.ts'
import { distanceTo, isCompared, soughtVector } from './conditions.ts'
import type { Query } from './query.ts'
import { valuesOf, variantOf } from './variant.ts'

/** How many documents are results, on whatever page. Compares every vector of the project. */
export async function countSimilar(db: Db, query: Query): Promise<number> {
  const variant = variantOf(query, [])
  const sought = soughtVector(db, variant)
  const [row] = await db
    .with(sought)
    .select({ total: sql`count(*)`.mapWith(Number) })
    .from(embeddings)
    .where(and(isCompared(variant, sought), sql`${distanceTo(sought)} <= ${maxDistance(query)}`))
    .prepare('count_similar')
    .execute(valuesOf(query, []))
  return row?.total ?? 0
}
