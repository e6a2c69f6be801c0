import { and, asc, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import type { IndexForm } from '../../db/index-name.ts'
import { indexDistance, withParameters } from '../../db/pgvector.ts'
import { embeddings } from '../../db/schema.ts'
import { type Effort, usualScanTuples } from '../index/effort.ts'
import { distanceTo, isCandidate, isNotExcluded, once, queryVectorCte } from './conditions.ts'
import type { Variant } from './variant.ts'

export interface IndexVariant extends Variant {
  readonly form: IndexForm
  readonly effort: Effort
}

/**
 * Takes the nearest from the project's index and ranks them by their float32 vectors. Collection
 * and dimensions are literals, because PostgreSQL does not use a partial index for a parameter,
 * which may have any value.
 */
export function indexStatement(db: Db, variant: IndexVariant) {
  const { form, effort } = variant
  const sought = queryVectorCte(db, variant)
  const nearest = db
    .select({ id: embeddings.textId, distance: distanceTo(sought).as('distance') })
    .from(embeddings)
    .where(
      and(
        withParameters({
          'hnsw.ef_search': effort.efSearch,
          'hnsw.iterative_scan': effort.isOneBeam ? 'off' : 'relaxed_order',
          'hnsw.max_scan_tuples': effort.scanTuples,
          // The default memory is just enough for the default number of tuples.
          'hnsw.scan_mem_multiplier': Math.max(1, effort.scanTuples / usualScanTuples),
        }),
        sql`${embeddings.collectionId} = ${sql.raw(`${form.collectionId}`)}`,
        sql`${embeddings.vectorDim} = ${sql.raw(`${form.dimensions}`)}`,
        isCandidate(variant, sought),
        isNotExcluded(variant, embeddings.textId),
      ),
    )
    .orderBy(indexDistance(embeddings.vector, (toIndexed) => once(sought, toIndexed), form))
    .limit(effort.candidates)
    .as('nearest')
  return db
    .with(sought)
    .select()
    .from(nearest)
    .orderBy(asc(nearest.distance), asc(nearest.id))
    .limit(sql.placeholder('limit'))
    .prepare('search_index')
}
