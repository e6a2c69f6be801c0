import {
  and,
  asc,
  type Column,
  cosineDistance,
  eq,
  isNotNull,
  lte,
  ne,
  not,
  type SQL,
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { oneRow } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { indexDistance, subvector } from '../db/pgvector.ts'
import { embeddings } from '../db/schema.ts'
import type { IndexForm } from '../search-indexes/catalog.ts'
import { type Effort, usualScanTuples } from '../search-indexes/effort.ts'
import type { SearchIndex } from '../search-indexes/policy.ts'
import { type Exclusion, hasValue, pathNames, valuesWithText } from './metadata-filter.ts'

/** Below this, two cosine similarities in float32 arithmetic are the same. */
const roundingNoise = 1e-6
/** Kept statements; their texts differ by project with an index and by depth of a filter. */
const maxKept = 2_000

/** What is searched for, and among which documents. */
export interface Query {
  readonly collectionId: number
  /** A stored embedding by its text_id, or a vector in pgvector's text form. */
  readonly source: { readonly textId: string } | { readonly vector: string }
  readonly dimensions: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  readonly exclude: Exclusion | undefined
  /** Whether the embedding that is searched for may be a result. */
  readonly includeSelf: boolean
}

export interface Window {
  readonly limit: number
  readonly offset: number
}

export interface Candidate {
  readonly id: string
  /** Cosine distance: 0 in the same direction, 1 at right angles, 2 in opposite directions. */
  readonly distance: number
}

/** Largest distance of a result. */
export const farthest = ({ threshold }: Query) => 1 - threshold + roundingNoise

export type Statements = ReturnType<typeof createStatements>

const value = sql.placeholder

/**
 * The two statements of a search. Each variant of their texts is built once: building costs as much
 * as the rest of a short request.
 */
export function createStatements(db: Db) {
  const exact = keep((variant: Variant) => exactly(db, variant))
  const indexed = keep((variant: Variant & Indexed) => byIndex(db, variant))

  return {
    /**
     * Compares every vector of the project, except those of `excludedIds`.
     * @returns a page of those above the threshold, and with each the distance of the nearest of all
     */
    exactly: (query: Query, { limit, offset }: Window, excludedIds: readonly string[] = []) =>
      exact(variantOf(query, excludedIds)).execute({
        ...valuesOf(query, excludedIds),
        nearest: offset + limit + excludedIds.length,
        limit,
        offset,
      }),

    /**
     * The nearest by the project's index, except those of `excludedIds`, ranked by their float32
     * vectors, whatever the threshold.
     * @returns fewer than `limit` only when the index gives out no more
     */
    byIndex: (
      query: Query,
      { collectionId, dimensions, kind }: SearchIndex,
      effort: Effort,
      limit: number,
      excludedIds: readonly string[] = [],
    ): Promise<Candidate[]> =>
      indexed({
        ...variantOf(query, excludedIds),
        form: { collectionId, dimensions, kind },
        effort,
      }).execute({
        ...valuesOf(query, excludedIds),
        limit,
      }),
  }
}

/** What the text of a statement depends on. */
interface Variant {
  readonly source: 'text_id' | 'vector'
  readonly withoutSelf: boolean
  /** Length of the metadata path; 0 without a filter. */
  readonly depth: number
  readonly excludesIds: boolean
}

interface Indexed {
  readonly form: IndexForm
  readonly effort: Effort
}

const variantOf = (
  { source, includeSelf, exclude }: Query,
  excludedIds: readonly string[],
): Variant => ({
  source: 'textId' in source ? 'text_id' : 'vector',
  withoutSelf: 'textId' in source && !includeSelf,
  depth: exclude?.path.length ?? 0,
  excludesIds: excludedIds.length > 0,
})

function valuesOf(query: Query, excludedIds: readonly string[]) {
  const { collectionId, dimensions, source, exclude } = query
  const names = pathNames(exclude?.path.length ?? 0)
  return {
    collectionId,
    dimensions,
    ...source,
    farthest: farthest(query),
    excludedIds: JSON.stringify(excludedIds),
    values: exclude && valuesWithText(exclude.value),
    ...Object.fromEntries(names.map((name, step) => [name, exclude?.path[step]])),
  }
}

function keep<Input, Statement>(build: (input: Input) => Statement) {
  const kept = new Map<string, Statement>()
  return (input: Input): Statement => {
    const key = JSON.stringify(input)
    const found = kept.get(key)
    if (found !== undefined) return found
    if (kept.size >= maxKept) kept.clear()
    const statement = build(input)
    kept.set(key, statement)
    return statement
  }
}

/**
 * The vector that is searched for. A stored one does not leave the database; the copy keeps one that
 * is stored out of line from being fetched again for every comparison. A query also for the one that is
 * given, as Drizzle's `cosineDistance` takes it; that costs nothing measurable.
 */
function soughtVector(db: Db, { source }: Variant) {
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

const distanceTo = (sought: Sought) => cosineDistance(embeddings.vector, sought).mapWith(Number)

/** The documents that may be results. */
const candidates = (variant: Variant, sought: Sought) =>
  and(
    // Evaluated once: without the embedding that is searched for there is nothing to compare.
    variant.source === 'text_id' ? isNotNull(sought) : undefined,
    variant.withoutSelf ? ne(embeddings.textId, value('textId')) : undefined,
    variant.depth > 0 ? not(hasValue(variant.depth)) : undefined,
  )

const isNotExcluded = ({ excludesIds }: Variant, id: Column) =>
  excludesIds
    ? sql`${id} not in (select jsonb_array_elements_text(${value('excludedIds')}::jsonb))`
    : undefined

/**
 * Inside, the nearest in a total order (distance, then text_id), so that pages neither overlap nor
 * leave gaps; outside, of these few rows, which count: threshold, excluded ids and paging.
 */
function exactly(db: Db, variant: Variant) {
  const sought = soughtVector(db, variant)
  const best = db
    .select({
      id: embeddings.textId,
      distance: distanceTo(sought).as('distance'),
    })
    .from(embeddings)
    .where(
      and(
        eq(embeddings.collectionId, value('collectionId')),
        eq(embeddings.vectorDim, value('dimensions')),
        candidates(variant, sought),
      ),
    )
    .orderBy((columns) => [asc(columns.distance), asc(columns.id)])
    .limit(value('nearest'))
    .as('best')
  return db
    .select({
      id: best.id,
      distance: best.distance,
      nearest: sql`min(${best.distance}) over ()`.mapWith(Number),
    })
    .from(best)
    .where(and(lte(best.distance, value('farthest')), isNotExcluded(variant, best.id)))
    .orderBy(asc(best.distance), asc(best.id))
    .limit(value('limit'))
    .offset(value('offset'))
    .prepare('search_exactly')
}

/** The ids are literals: a partial index is not used for a parameter, which may be any project. */
function byIndex(db: Db, variant: Variant & Indexed) {
  const { form, effort } = variant
  const sought = soughtVector(db, variant)
  const nearest = db
    .select({ id: embeddings.textId, distance: distanceTo(sought).as('distance') })
    .from(embeddings)
    .where(
      and(
        withSettings({
          'hnsw.ef_search': effort.efSearch,
          'hnsw.iterative_scan': 'relaxed_order',
          'hnsw.max_scan_tuples': effort.scanTuples,
          // The usual memory is just enough for the usual number.
          'hnsw.scan_mem_multiplier': effort.scanTuples / usualScanTuples,
        }),
        sql`${embeddings.collectionId} = ${sql.raw(`${form.collectionId}`)}`,
        sql`${embeddings.vectorDim} = ${sql.raw(`${form.dimensions}`)}`,
        candidates(variant, sought),
        isNotExcluded(variant, embeddings.textId),
      ),
    )
    .orderBy(indexDistance(embeddings.vector, sought, form))
    .limit(effort.candidates)
    .as('nearest')
  return db
    .select()
    .from(nearest)
    .orderBy(asc(nearest.distance), asc(nearest.id))
    .limit(value('limit'))
    .prepare('search_index')
}

/**
 * SET LOCAL as a part of the statement, which saves three round trips: the condition is no part of
 * any row, so that it is evaluated once and before the scan begins (a "one-time filter").
 */
function withSettings(settings: Record<string, string | number>): SQL {
  const set = Object.entries(settings).map(
    ([name, setting]) => sql`set_config(${sql.raw(`'${name}', '${setting}'`)}, true)`,
  )
  return sql`(select ${sql.join(set, sql` || `)}) is not null`
}
