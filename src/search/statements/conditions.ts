import { and, type Column, eq, isNotNull, ne, not, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { oneRow } from '../../db/columns.ts'
import type { Db } from '../../db/database.ts'
import { cosineDistance, subvector } from '../../db/pgvector.ts'
import { embeddings } from '../../db/schema.ts'
import { hasValue } from './metadata-filter.ts'
import type { Variant } from './variant.ts'

const value = sql.placeholder

/**
 * The query vector as a common table expression: its value is sent and read once, however often a
 * statement refers to it. A stored vector does not leave the database. `subvector` copies it,
 * because a vector stored out of line would be fetched again for every comparison.
 */
export function queryVectorCte(db: Db, { source }: Variant) {
  const name = db.$with('given')
  if (source === 'vector') {
    return name.as(db.select({ vector: sql`${value('vector')}::vector`.as('vector') }).from(oneRow))
  }
  const sought = alias(embeddings, 'sought')
  return name.as(
    db
      .select({ vector: subvector(sought.vector, 1, sought.vectorDim).as('vector') })
      .from(sought)
      .where(
        and(
          eq(sought.collectionId, value('collectionId')),
          eq(sought.textId, value('textId')),
          eq(sought.vectorDim, value('dimensions')),
        ),
      ),
  )
}

export type QueryVectorCte = ReturnType<typeof queryVectorCte>

/**
 * `form` applied to the query vector, as a subquery, which PostgreSQL evaluates once and not for
 * each row.
 */
export const once = (sought: QueryVectorCte, form = (vector: SQLWrapper): SQLWrapper => vector) =>
  sql`(select ${form(sought.vector)} from ${sought})`

export const distanceTo = (sought: QueryVectorCte) =>
  cosineDistance(embeddings.vector, once(sought))

export const isCompared = (variant: Variant, sought: QueryVectorCte) =>
  and(
    eq(embeddings.collectionId, value('collectionId')),
    eq(embeddings.vectorDim, value('dimensions')),
    isCandidate(variant, sought),
  )

export const inProject = and(
  eq(embeddings.collectionId, value('collectionId')),
  eq(embeddings.vectorDim, value('dimensions')),
)

/** All documents of a project that may be results, with their distances. */
export const comparedDocuments = (db: Db, variant: Variant, sought: QueryVectorCte) =>
  db
    .select({ id: embeddings.textId, distance: distanceTo(sought).as('distance') })
    .from(embeddings)
    .where(and(inProject, isCandidate(variant, sought)))

export const isCandidate = (variant: Variant, sought: QueryVectorCte) =>
  and(
    // PostgreSQL evaluates this once. If the stored embedding is missing, nothing is compared.
    variant.source === 'text_id' ? isNotNull(once(sought)) : undefined,
    variant.withoutSelf ? ne(embeddings.textId, value('textId')) : undefined,
    satisfies(variant),
  )

/** What `filter` and `metadata_path` keep; undefined if there are none. */
export const satisfies = ({ depth, condition }: Variant) =>
  and(depth > 0 ? not(hasValue(depth)) : undefined, condition?.(value))

export const isNotExcluded = ({ excludesIds }: Variant, id: Column) =>
  excludesIds
    ? sql`${id} not in (select jsonb_array_elements_text(${value('excludedIds')}::jsonb))`
    : undefined
