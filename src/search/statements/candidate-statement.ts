import { and, asc, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { embeddings } from '../../db/schema.ts'
import { distanceTo, isCompared, queryVectorCte } from './conditions.ts'
import type { Variant } from './variant.ts'

const value = sql.placeholder

export const candidateStatement = (db: Db, variant: Variant) =>
  ranked(db, variant).prepare('rank_candidates')

/** Ranks what a filter is known to keep. */
export const keptStatement = (db: Db, variant: Variant) =>
  ranked(db, variant).limit(value('limit')).prepare('search_kept')

/**
 * Ranks the candidates that may be results by their float32 vectors. Each is looked up by its key:
 * the limit keeps PostgreSQL from reading the whole project and joining it.
 */
function ranked(db: Db, variant: Variant) {
  const sought = queryVectorCte(db, variant)
  const stored = db
    .select({ id: embeddings.textId, distance: distanceTo(sought).as('distance') })
    .from(embeddings)
    .where(and(sql`${embeddings.textId} = proposed.id`, isCompared(variant, sought)))
    .limit(1)
    .as('stored')
  return db
    .with(sought)
    .select({ id: stored.id, distance: stored.distance })
    .from(sql`jsonb_array_elements_text(${value('proposedIds')}::jsonb) as proposed (id)`)
    .innerJoinLateral(stored, sql`true`)
    .orderBy(asc(stored.distance), asc(stored.id))
    .$dynamic()
}
