import { and, asc, eq, isNotNull, not, or, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/database.ts'
import { embeddings } from '../../db/schema.ts'
import {
  coveredByMetadataIndex,
  hasMetadataIndex,
  type MetadataIndexForm,
} from '../../search-indexes/metadata-index.ts'
import { inProject, satisfies } from './conditions.ts'
import { stepsInto } from './metadata-filter.ts'
import type { Variant } from './variant.ts'

/** How many documents are looked at for a field, the first by text_id. */
export const maxLookedAt = 1_000
/** Large metadata take seconds; what is said of them is a help, and no part of the answer. */
const isLate = sql`clock_timestamp() > statement_timestamp() + interval '300 ms'`

export interface MatchingVariant extends Variant {
  readonly form: MetadataIndexForm
}

/** What a filter keeps, as a list. By the index on the project's metadata where there is one, and where it says something of the filter. */
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

/** How many of a sample a filter keeps. */
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

/** One row if one of the first documents has a field at a metadata path of this depth, or they take long. */
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
