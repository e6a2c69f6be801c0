import { and, asc, sql } from 'drizzle-orm'
import { revisionOf } from '../collections/collections.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { distanceTo, inProject, mayBeResult, queryVector, satisfies } from './conditions.ts'
import { inPart, type Part } from './pieces.ts'
import { type Candidate, forEachVariant, type Query, type Variant } from './query.ts'

/**
 * Ranks those of the listed embeddings that may be results by their vectors, nearest first,
 * regardless of the threshold.
 * @param textIds a JSON array
 */
export type RankListed = (query: Query, textIds: string, limit: number) => Promise<Candidate[]>

export function createRankListed(db: Db): RankListed {
  const ranked = forEachVariant((variant: Variant) => listedStatement(db, variant))
  return (query, listedIds, limit) => ranked(query, {}, { listedIds, limit })
}

/**
 * Each embedding is looked up by its key: the inner limit keeps PostgreSQL from reading the whole
 * project and joining it.
 */
function listedStatement(db: Db, variant: Variant) {
  const query = queryVector(db, variant)
  const stored = db
    .select({ id: embeddings.textId, distance: distanceTo(query).as('distance') })
    .from(embeddings)
    .where(and(sql`${embeddings.textId} = listed.id`, inProject, mayBeResult(variant, query)))
    .limit(1)
    .as('stored')
  return db
    .with(query)
    .select({ id: stored.id, distance: stored.distance })
    .from(sql`jsonb_array_elements_text(${sql.placeholder('listedIds')}::jsonb) as listed (id)`)
    .innerJoinLateral(stored, sql`true`)
    .orderBy(asc(stored.distance), asc(stored.id))
    .limit(sql.placeholder('limit'))
    .prepare('rank_listed')
}

/** Which of some embeddings the filter of a query keeps, seeing no change after the revision. */
export type Kept = (
  query: Query,
  textIds: readonly string[],
) => Promise<{ readonly ids: ReadonlySet<string>; readonly revision: number }>

export function createKept(db: Db, part: Part = 'all'): Kept {
  const keptIn = forEachVariant((variant: Variant) => keptStatement(db, variant, part))
  return async (query, textIds) => {
    const listedIds = JSON.stringify(textIds)
    const rows = await keptIn(query, {}, { listedIds })
    const revision = await revisionOf(db, query.collectionId)
    return { ids: new Set(rows.map(({ id }) => id)), revision }
  }
}

function keptStatement(db: Db, variant: Variant, part: Part) {
  const stored = db
    .select({ id: embeddings.textId })
    .from(embeddings)
    .where(and(sql`${embeddings.textId} = listed.id`, inProject, satisfies(variant)))
    .limit(1)
    .as('stored')
  return db
    .select({ id: stored.id })
    .from(sql`jsonb_array_elements_text(${sql.placeholder('listedIds')}::jsonb) as listed (id)`)
    .innerJoinLateral(stored, sql`true`)
    .where(inPart(part))
    .prepare('kept_of_listed')
}
