import {
  and,
  cosineDistance,
  eq,
  isNotNull,
  ne,
  type Placeholder,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { oneRow } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { preciseDistance, subvector, unitLength, unitVector } from '../db/pgvector.ts'
import { embeddings } from '../db/schema.ts'
import { inPart, type Part } from './pieces.ts'
import type { Variant } from './query.ts'

const value = sql.placeholder

/**
 * The query's vector as a common table expression: its value is sent and read once, however often a
 * statement refers to it. A stored vector does not leave the database. `subvector` copies it,
 * because a vector stored out of line would be fetched again for every comparison.
 */
export function queryVector(db: Db, { source }: Variant) {
  const name = db.$with('given')
  if (source === 'vector') {
    return name.as(db.select({ vector: sql`${value('vector')}::vector`.as('vector') }).from(oneRow))
  }
  const stored = alias(embeddings, 'query')
  return name.as(
    db
      .select({ vector: subvector(stored.vector, 1, stored.vectorDim).as('vector') })
      .from(stored)
      .where(
        and(
          eq(stored.collectionId, value('collectionId')),
          eq(stored.textId, value('textId')),
          eq(stored.vectorDim, value('dimensions')),
        ),
      ),
  )
}

type QueryVectorCte = ReturnType<typeof queryVector>

/**
 * `form` applied to the query's vector, as a subquery, which PostgreSQL evaluates once and not for
 * each row.
 */
export const once = (query: QueryVectorCte, form = (vector: SQLWrapper): SQLWrapper => vector) =>
  sql`(select ${form(query.vector)} from ${query})`

/**
 * 0 in the same direction, 1 at right angles, 2 in opposite directions; off by up to `roughError`.
 */
export const roughDistanceTo = (db: Db, query: QueryVectorCte) =>
  cosineDistance(embeddings.vector, db.select({ vector: query.vector }).from(query)).mapWith(Number)

/** The distance by which results are ordered and compared with the threshold. */
export const distanceTo = (query: QueryVectorCte, vector: SQLWrapper = embeddings.vector) =>
  preciseDistance(vector, once(query, unitVector), once(query, unitLength)).mapWith(Number)

/**
 * The distance where the rough one is between the placeholders `from` and `to`; -1 if it is less,
 * 3 if it is more. Each rough distance is computed once.
 */
export const distanceBetween = (
  query: QueryVectorCte,
  rough: SQLWrapper,
  vector: SQLWrapper = embeddings.vector,
) =>
  sql`case width_bucket(${rough}, array[${value('from')}, ${value('to')}]::float8[])
    when 0 then -1 when 1 then ${distanceTo(query, vector)} else 3 end`.mapWith(Number)

/** The embeddings of a project that have the query's dimensions. */
export const inProject = and(
  eq(embeddings.collectionId, value('collectionId')),
  eq(embeddings.vectorDim, value('dimensions')),
)

/** Whether an embedding is not the one that is searched for, if that is left out. */
export const isAnother = (variant: Variant, query: QueryVectorCte) =>
  and(
    // PostgreSQL evaluates this once. If the stored embedding is missing, nothing is compared.
    variant.source === 'text_id' ? isNotNull(once(query)) : undefined,
    variant.withoutSelf ? ne(embeddings.textId, value('textId')) : undefined,
    variant.withoutOthers ? isNoneOf(embeddings.textId, 'withoutIds') : undefined,
  )

export const mayBeResult = (variant: Variant, query: QueryVectorCte) =>
  and(isAnother(variant, query), satisfies(variant))

/**
 * The documents of a project that may be results, with their distances from the query: all rough
 * ones, or those of `distanceBetween`.
 */
export function compared(db: Db, variant: Variant, part: Part, distances: 'rough' | 'between') {
  const query = queryVector(db, variant)
  const rough = roughDistanceTo(db, query)
  const distance = distances === 'rough' ? rough : distanceBetween(query, rough)
  return db
    .with(query)
    .select({ id: embeddings.textId, distance: distance.as('distance') })
    .from(embeddings)
    .where(and(inProject, inPart(part), mayBeResult(variant, query)))
}

/** What `filter` and `metadata_path` keep; undefined if there are none. */
export const satisfies = ({ condition }: Variant) => condition?.(value)

/** The keys of an object are looked up faster than any list, whatever the plan. */
export const keysOf = (values: readonly string[]) =>
  JSON.stringify(Object.fromEntries(values.map((each) => [each, 1])))

/** @param object from `keysOf`, or the placeholder of one */
export const isKeyOf = (object: Placeholder | string, value: SQLWrapper) =>
  sql`jsonb_exists(${object}::jsonb, ${value})`

/** Whether a text_id is none of a placeholder. */
export const isNoneOf = (id: SQLWrapper, name: 'excludedIds' | 'withoutIds') =>
  sql`${id} not in (select jsonb_array_elements_text(${value(name)}::jsonb))`
