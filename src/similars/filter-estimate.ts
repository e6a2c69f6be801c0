import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { compileFilter, filterCondition } from '../filters/condition.ts'
import type { Filter } from '../filters/filter.ts'
import { indexedPart } from '../filters/indexed-part.ts'
import { sampleIds } from '../search-indexes/measurement.ts'
import type { CollectionSize } from '../search-indexes/policy.ts'

/** What a filter keeps of a project, as a sample of it says. */
export interface Shares {
  /** 0 to 1. */
  readonly kept: number
  /** What the index on the metadata finds for the filter; undefined where it finds nothing for it. */
  readonly indexed: number | undefined
}

/** Tells tenths and halves well enough apart; what keeps less is tried, up to a bound. */
const sampleSize = 128
/** Growth after which another sample is drawn. */
const outgrown = 1.5
const maxSamples = 500
const maxShares = 20_000

interface Sample {
  readonly vectors: number
  readonly ids: string
}

/**
 * Estimates how much a filter keeps. A wrong estimate costs time alone: no answer depends on it but for
 * which of two searches finds it.
 */
export function createFilterEstimate(db: Db) {
  const samples = new LRUCache<number, Promise<Sample>>({ max: maxSamples })
  const shares = new LRUCache<string, Shares>({ max: maxShares })

  /** The same for all until the project has grown or shrunk, so that all pages are found in one way. */
  async function sampleOf(size: CollectionSize): Promise<Sample> {
    const { collectionId, vectors } = size
    // Drawn for a client that has hung up meanwhile, it has failed, and is drawn anew for this one.
    const known = await samples.get(collectionId)?.catch(() => undefined)
    if (
      known !== undefined &&
      Math.max(known.vectors, vectors) <= outgrown * smaller(known, vectors)
    )
      return known
    const drawn = sampleIds(db, size, sampleSize).then((ids) => ({
      vectors,
      ids: JSON.stringify(ids),
    }))
    samples.set(collectionId, drawn)
    drawn.catch(() => samples.delete(collectionId))
    return drawn
  }

  async function estimate(size: CollectionSize, filter: Filter, { ids }: Sample): Promise<Shares> {
    const part = indexedPart(filter)
    const countOf = (each: Filter) => sql`count(*) filter (where ${filterCondition(each)})`
    const [row] = await db
      .select({
        all: sql`count(*)`.mapWith(Number),
        kept: countOf(filter).mapWith(Number),
        indexed: (part === undefined ? sql`0` : countOf(part)).mapWith(Number),
      })
      .from(embeddings)
      .where(
        and(
          eq(embeddings.collectionId, size.collectionId),
          sql`${embeddings.textId} = any (array(select jsonb_array_elements_text(${ids}::jsonb)))`,
        ),
      )
    const { all, kept, indexed } = row ?? { all: 0, kept: 0, indexed: 0 }
    const share = (count: number) => (all === 0 ? 1 : count / all)
    return { kept: share(kept), indexed: part && share(indexed) }
  }

  return async (
    size: CollectionSize,
    filter: Filter,
  ): Promise<{ shares: Shares; correct: (shares: Shares) => void }> => {
    const sample = await sampleOf(size)
    const key = keyOf(size.collectionId, sample, filter)
    const found = shares.get(key) ?? (await estimate(size, filter, sample))
    shares.set(key, found)
    return { shares: found, correct: (better) => shares.set(key, better) }
  }
}

const smaller = ({ vectors }: Sample, other: number) => Math.min(vectors, other)

/** A digest: filters may be long. */
function keyOf(collectionId: number, { vectors }: Sample, filter: Filter): string {
  const { form, values } = compileFilter(filter)
  return createHash('sha256')
    .update(JSON.stringify([collectionId, vectors, form, values]))
    .digest('base64')
}
