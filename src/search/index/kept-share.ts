import { and, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/database.ts'
import { embeddings } from '../../db/schema.ts'
import { satisfies } from '../conditions.ts'
import {
  filterKey,
  forEachVariant,
  type Search,
  type Variant,
  valuesOf,
  variantOf,
} from '../query.ts'
import type { CollectionSize } from './policy.ts'
import { sampleIds } from './recall/measurement.ts'

/** Documents in a sample: enough to tell a filter that keeps a tenth from one that keeps half. */
const sampleSize = 128
/** A new sample is drawn once the project has grown or shrunk by this factor. */
const outgrown = 1.5
const maxSamples = 500
const maxShares = 20_000

interface Sample {
  readonly vectors: number
  /** A JSON array. */
  readonly textIds: string
}

/**
 * Estimates the share of a project that a filter keeps, 0 to 1. A wrong estimate only costs time.
 */
export function createKeptShare(db: Db) {
  const samples = new LRUCache<number, Promise<Sample>>({ max: maxSamples })
  const shares = new LRUCache<string, number>({ max: maxShares })
  const statement = forEachVariant((variant: Variant) => sampleStatement(db, variant))

  /**
   * The sample stays the same until the project grows or shrinks, so that all pages are searched in
   * the same way.
   */
  async function sampleOf(size: CollectionSize): Promise<Sample> {
    const { collectionId, vectors } = size
    // A sample that failed because its client hung up is drawn again for this client.
    const sample = await samples.get(collectionId)?.catch(() => undefined)
    if (sample !== undefined && growth(sample.vectors, vectors) <= outgrown) return sample
    const drawn = sampleIds(db, size, sampleSize).then((ids) => ({
      vectors,
      textIds: JSON.stringify(ids),
    }))
    samples.set(collectionId, drawn)
    drawn.catch(() => samples.delete(collectionId))
    return drawn
  }

  return async ({ query, collection }: Search): Promise<number> => {
    const { vectors, textIds } = await sampleOf(collection)
    const key = `${collection.collectionId} ${vectors} ${filterKey(query)}`
    const remembered = shares.get(key)
    if (remembered !== undefined) return remembered
    const values = { ...valuesOf(query), sample: textIds }
    const [row] = await statement(variantOf(query)).execute(values)
    const share = row === undefined || row.all === 0 ? 1 : row.kept / row.all
    shares.set(key, share)
    return share
  }
}

const growth = (before: number, now: number) => Math.max(before, now) / Math.min(before, now)

/** Counts how many documents of a sample a filter keeps. */
const sampleStatement = (db: Db, variant: Variant) =>
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
