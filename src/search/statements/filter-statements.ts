import { and, asc, eq, isNotNull, not, or, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/database.ts'
import { embeddings } from '../../db/schema.ts'
import {
  coveredByMetadataIndex,
  hasMetadataIndex,
  type MetadataIndexForm,
} from '../index/metadata-index.ts'
import { inProject, satisfies } from './conditions.ts'
import { stepsInto } from './metadata-filter.ts'
import type { Variant } from './variant.ts'

/** How many documents, the first by text_id, are checked for a field. */
export const maxLookedAt = 1_000
/** Large metadata take seconds to read. The check is only a hint, so it gives up after 300 ms. */
const isLate = sql`clock_timestamp() > statement_timestamp() + interval '300 ms'`

export interface MatchingVariant extends Variant {
  readonly form: MetadataIndexForm
}

/**
 * Lists what a filter keeps, by the project's metadata index if it exists and covers part of the
 * filter.
 */
export function matchingStatement(db: Db, variant: MatchingVariant) {
  const [value, { form, indexed }] = [sql.placeholder, variant]
  const scan = (condition = inProject) =>
    db
      .select({ id: embeddings.textId })
      .from(embeddings)
      .where(and(condition, satisfies(variant)))
      .limit(value('most'))
  const isThere = hasMetadataIndex(db, form)
  const matches =
    indexed === undefined
      ? scan()
      : unionAll(
          scan(and(isThere, coveredByMetadataIndex(form), indexed(value))),
          scan(and(not(isThere), inProject)),
        )
  const matching = matches.as('matching')
  return db
    .select({
      count: sql`count(*)`.mapWith(Number),
      textIds: sql<string>`coalesce(json_agg(${matching.id}), '[]')::text`,
    })
    .from(matching)
    .prepare('find_matches')
}

/** Counts how many documents of a sample a filter keeps. */
export const sampleStatement = (db: Db, variant: Variant) =>
  db
    .select({
      all: sql`count(*)`.mapWith(Number),
      kept: sql`count(*) filter (where ${satisfies(variant) ?? sql`true`})`.mapWith(Number),
    })
    .from(embeddings)
    .where(
      and(
        eq(embeddings.collectionId, sql.placeholder('collectionId')),
        sql`${embeddings.textId} = any (array(select jsonb_array_elements_text(${sql.placeholder('sample')}::jsonb)))`,
      ),
    )
    .prepare('sample_filter')

/**
 * Returns a row if one of the first documents has a field at a metadata path of this depth, or if
 * the check takes too long.
 */
export function fieldStatement(db: Db, depth: number) {
  const first = firstDocuments(db, stepsInto(depth))
  return db
    .select({ one: sql`1` })
    .from(first)
    .where(or(isLate, isNotNull(first.field)))
    .limit(1)
    .prepare('find_field')
}

/** The same for a path that looks into arrays. */
export function anywhereStatement(db: Db) {
  const first = firstDocuments(db, sql`${embeddings.metadata}`)
  return db
    .select({ one: sql`1` })
    .from(first)
    .where(or(isLate, sql`${first.field} @? ${sql.placeholder('path')}::jsonpath`))
    .limit(1)
    .prepare('find_field_anywhere')
}

const firstDocuments = (db: Db, field: SQL) =>
  db
    .select({ field: field.as('field') })
    .from(embeddings)
    .where(eq(embeddings.collectionId, sql.placeholder('collectionId')))
    .orderBy(asc(embeddings.textId))
    .limit(maxLookedAt)
    .as('first')
