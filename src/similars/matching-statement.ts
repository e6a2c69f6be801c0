import { and, asc, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import {
  coveredByMetadataIndex,
  hasMetadataIndex,
  type MetadataIndexForm,
} from '../search-indexes/metadata-index.ts'
import { distanceTo, isCandidate, isNotExcluded, soughtVector } from './conditions.ts'
import type { Variant } from './variant.ts'

export interface MatchingVariant extends Variant {
  readonly form: MetadataIndexForm
}

const value = sql.placeholder

/**
 * Compares the vectors that a filter keeps, found by the index on the metadata of a project, in the total
 * order of an exact search. Always a row, which says whether there is an index and how many were found,
 * `most` at most; where there is none, nothing is read.
 */
export function matchingStatement(db: Db, variant: MatchingVariant) {
  const sought = soughtVector(db, variant)
  const isThere = hasMetadataIndex(db, variant.form)
  // Distances alone: vectors would not stay in memory.
  const kept = db.$with('kept').as(
    db
      .select({ id: embeddings.textId, distance: distanceTo(sought).as('distance') })
      .from(embeddings)
      .where(
        and(
          isThere,
          coveredByMetadataIndex(variant.form),
          variant.indexed?.(value),
          isCandidate(variant, sought),
        ),
      )
      .limit(value('most')),
  )
  const counted = db
    .select({ count: sql`count(*)`.as('count'), isThere: isThere.as('is_there') })
    .from(kept)
    .as('counted')
  const best = db
    .select({
      id: kept.id,
      distance: kept.distance,
      nearest: sql`min(${kept.distance}) over ()`.as('nearest'),
    })
    .from(kept)
    .where(isNotExcluded(variant, kept.id))
    .orderBy(asc(kept.distance), asc(kept.id))
    .limit(value('limit'))
    .offset(value('offset'))
    .as('best')
  return db
    .with(sought, kept)
    .select({
      count: sql`${counted.count}`.mapWith(Number),
      isThere: sql<boolean>`${counted.isThere}`,
      id: sql<string | null>`${best.id}`,
      distance: sql`coalesce(${best.distance}, 0)`.mapWith(Number),
      nearest: sql`coalesce(${best.nearest}, 0)`.mapWith(Number),
    })
    .from(counted)
    .leftJoinLateral(best, sql`true`)
    .orderBy(asc(best.distance), asc(best.id))
    .prepare('search_matching')
}
