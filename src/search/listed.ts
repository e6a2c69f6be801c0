import { and, asc, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { revisionOf } from '../collections/collections.ts'
import { groupsOf } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { distanceTo, inProject, mayBeResult, queryVector, satisfies } from './conditions.ts'
import { inPart, type Part } from './pieces.ts'
import { type Candidate, forEachVariant, type Query, type Variant } from './query.ts'

const listedIds = sql.placeholder('listedIds')

/**
 * The embeddings of a list that meet a condition, and a value of each. They are looked up by their
 * keys: the limit keeps PostgreSQL from reading the whole project and joining it.
 * @param textIds a JSON array, or the placeholder of one
 */
export function storedAmong<Value>(
  db: Db,
  textIds: Placeholder | string,
  value: SQL<Value>,
  condition: SQL | undefined,
) {
  const stored = db
    .select({ id: embeddings.textId, value: value.as('value') })
    .from(embeddings)
    .where(and(sql`${embeddings.textId} = listed.id`, condition))
    .limit(1)
    .as('stored')
  const listed = sql`jsonb_array_elements_text(${textIds}::jsonb) as listed (id)`
  return { stored, listed }
}

/**
 * Ranks those of the listed embeddings that may be results by their vectors, nearest first,
 * regardless of the threshold.
 * @param textIds a JSON array
 */
export function createRankListed(db: Db) {
  const ranked = forEachVariant((variant: Variant) => listedStatement(db, variant))
  return (query: Query, textIds: string, limit: number): Promise<Candidate[]> =>
    ranked(query, {}, { listedIds: textIds, limit })
}

function listedStatement(db: Db, variant: Variant) {
  const query = queryVector(db, variant)
  const isWanted = and(inProject, mayBeResult(variant, query))
  const { listed, stored } = storedAmong(db, listedIds, distanceTo(query), isWanted)
  return db
    .with(query)
    .select({ id: stored.id, distance: stored.value })
    .from(listed)
    .innerJoinLateral(stored, sql`true`)
    .orderBy(asc(stored.value), asc(stored.id))
    .limit(sql.placeholder('limit'))
    .prepare('rank_listed')
}

/** Which of some embeddings the filter of a query keeps, seeing no change after the revision. */
export type Kept = (
  query: Query,
  textIds: readonly string[],
) => Promise<{ readonly ids: ReadonlySet<string>; readonly revision: number }>

/** So many are asked about in one statement, which the embedded engine does in less than `pieceMs`. */
export const listedAtOnce = 500

export function createKept(db: Db, part: Part = 'all'): Kept {
  const keptIn = forEachVariant((variant: Variant) => keptStatement(db, variant, part))
  return async (query, textIds) => {
    const ids = new Set<string>()
    for (const group of groupsOf(textIds, listedAtOnce)) {
      const rows = await keptIn(query, {}, { listedIds: JSON.stringify(group) })
      for (const { id } of rows) ids.add(id)
    }
    return { ids, revision: await revisionOf(db, query.collectionId) }
  }
}

/** Those of the placeholder `listedIds` that the filter of a query keeps. */
export function keptStatement(db: Db, variant: Variant, part: Part = 'all') {
  const isKept = and(inProject, satisfies(variant))
  const { listed, stored } = storedAmong(db, listedIds, sql`1`, isKept)
  return db
    .select({ id: stored.id })
    .from(listed)
    .innerJoinLateral(stored, sql`true`)
    .where(inPart(part))
    .prepare('kept_of_listed')
}
