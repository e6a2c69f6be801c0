import { and, type Column, cosineDistance, eq, isNotNull, ne, not, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { oneRow } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { subvector } from '../db/pgvector.ts'
import { embeddings } from '../db/schema.ts'
import { hasValue } from './metadata-filter.ts'
import type { Variant } from './variant.ts'

const value = sql.placeholder

/**
 * The vector that is searched for. A stored one does not leave the database; the copy keeps one that
 * is stored out of line from being fetched again for every comparison. A query also for the one that is
 * given, as Drizzle's `cosineDistance` takes it; that costs nothing measurable.
 */
export function soughtVector(db: Db, { source }: Variant) {
  if (source === 'vector') {
    return db.select({ vector: sql`${value('vector')}::vector` }).from(oneRow)
  }
  const sought = alias(embeddings, 'sought')
  return db
    .select({ vector: subvector(sought.vector, 1, sought.vectorDim) })
    .from(sought)
    .where(
      and(
        eq(sought.collectionId, value('collectionId')),
        eq(sought.textId, value('textId')),
        eq(sought.vectorDim, value('dimensions')),
      ),
    )
}

type Sought = ReturnType<typeof soughtVector>

export const distanceTo = (sought: Sought) =>
  cosineDistance(embeddings.vector, sought).mapWith(Number)

/** The documents that may be results. */
export const isCandidate = (variant: Variant, sought: Sought) =>
  and(
    // Evaluated once: without the embedding that is searched for there is nothing to compare.
    variant.source === 'text_id' ? isNotNull(sought) : undefined,
    variant.withoutSelf ? ne(embeddings.textId, value('textId')) : undefined,
    variant.depth > 0 ? not(hasValue(variant.depth)) : undefined,
  )

export const isNotExcluded = ({ excludesIds }: Variant, id: Column) =>
  excludesIds
    ? sql`${id} not in (select jsonb_array_elements_text(${value('excludedIds')}::jsonb))`
    : undefined
