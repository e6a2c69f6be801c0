import { and, asc, cosineDistance, eq, lte, ne, not, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { indexedForm } from '../search-indexes/catalog.ts'
import type { Effort, SearchIndex } from '../search-indexes/policy.ts'
import { type Exclusion, hasValue } from './metadata-filter.ts'

/** Below this, two cosine similarities in float32 arithmetic are the same. */
const roundingNoise = 1e-6

/** What is searched for, and among which documents. */
export interface Query {
  readonly projectId: number
  /** In pgvector's text form, or as numbers. */
  readonly vector: string | number[]
  readonly dimensions: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  readonly exclude: Exclusion | undefined
  /** The text_id that is searched for and left out; empty for none. */
  readonly self: string
}

export interface Window {
  readonly limit: number
  readonly offset: number
}

export interface Found {
  readonly id: string
  /** Cosine similarity, 0 to 1. */
  readonly similarity: number
}

/** Distances above 1 (opposite directions) count as 1, so that similarity stays in 0..1. */
const distanceTo = (vector: Query['vector']) =>
  sql<number>`least(${cosineDistance(embeddings.vector, vector)}, 1)`

const farthest = ({ threshold }: Query) => 1 - threshold + roundingNoise

/** The documents that may be results. `ids` are those that the caller has already. */
const among = ({ self, exclude }: Query, ids: readonly string[]) =>
  and(
    ne(embeddings.textId, self),
    exclude && not(hasValue(exclude)),
    ids.length === 0
      ? undefined
      : sql`${embeddings.textId} not in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`,
  )

/**
 * Compares every vector of the project. Inside, the best `offset + limit` in a total order (distance,
 * then text_id), so that pages neither overlap nor leave gaps; outside, threshold and paging. The
 * text of the statement depends on the filter's depth only: PostgreSQL plans it once a connection.
 */
export function searchExactly(db: Db, query: Query, { limit, offset }: Window, had: string[] = []) {
  const distance = distanceTo(query.vector)
  const best = db
    .select({ id: embeddings.textId, distance: distance.as('distance') })
    .from(embeddings)
    .where(
      and(
        eq(embeddings.projectId, query.projectId),
        eq(embeddings.vectorDim, query.dimensions),
        among(query, had),
      ),
    )
    .orderBy((columns) => [asc(columns.distance), asc(columns.id)])
    .limit(offset + limit)
    .as('best')
  return db
    .select({
      id: best.id,
      similarity: sql`1 - ${best.distance}`.mapWith(Number),
      /** Of all that were found, also before this page. */
      highest: sql`1 - min(${best.distance}) over ()`.mapWith(Number),
    })
    .from(best)
    .where(lte(best.distance, farthest(query)))
    .orderBy(asc(best.distance), asc(best.id))
    .limit(limit)
    .offset(offset)
    .prepare('search_exactly')
    .execute()
}

/**
 * Takes the nearest candidates from the project's index and ranks them by their float32 vectors.
 * The ids are literals, since a partial index is not used for parameters that may be anything.
 */
export function searchIndex(
  db: Db,
  query: Query,
  index: SearchIndex,
  { efSearch, candidates }: Effort,
  limit: number,
  had: string[] = [],
): Promise<Found[]> {
  const stored = indexedForm(sql`${embeddings.vector}`, index)
  const sought = indexedForm(sql`${vectorText(query.vector)}::vector`, index)
  const operator = sql.raw(index.kind === 'bit' ? '<~>' : '<#>')
  const nearest = db
    .select({ id: embeddings.textId, distance: distanceTo(query.vector).as('distance') })
    .from(embeddings)
    .where(
      and(
        withSettings({ 'hnsw.ef_search': efSearch, 'hnsw.iterative_scan': 'relaxed_order' }),
        sql`${embeddings.projectId} = ${sql.raw(`${index.projectId}`)}`,
        sql`${embeddings.vectorDim} = ${sql.raw(`${index.dimensions}`)}`,
        among(query, had),
      ),
    )
    .orderBy(sql`${stored} ${operator} ${sought}`)
    .limit(candidates)
    .as('nearest')
  return db
    .select({ id: nearest.id, similarity: sql`1 - ${nearest.distance}`.mapWith(Number) })
    .from(nearest)
    .where(lte(nearest.distance, farthest(query)))
    .orderBy(asc(nearest.distance), asc(nearest.id))
    .limit(limit)
    .prepare('search_index')
    .execute()
}

const vectorText = (vector: Query['vector']) =>
  typeof vector === 'string' ? vector : JSON.stringify(vector)

/**
 * SET LOCAL as a part of the statement, which saves three round trips: the condition is no part of
 * any row, so that it is evaluated once and before the scan begins (a "one-time filter").
 */
function withSettings(settings: Record<string, string | number>): SQL {
  const set = Object.entries(settings).map(
    ([name, value]) => sql`set_config(${sql.raw(`'${name}', '${value}'`)}, true)`,
  )
  return sql`(select ${sql.join(set, sql` || `)}) is not null`
}
