import { and, asc, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { type CompiledFilter, filterCondition } from '../filters/condition.ts'
import type { Filter } from '../filters/filter.ts'
import type { Collection } from '../projects/project.ts'

/** As many can be looked up one by one in the time of a search. */
export const fewKept = 1_500
/** With more the estimate was wrong. */
const mostKept = 2 * fewKept
/** Characters of all that is remembered. */
const maxCharacters = 16 * 2 ** 20

/**
 * The text_ids of what a filter keeps, where that is little: found once by reading the project, and remembered
 * until its embeddings change, their metadata included. Whoever uses them applies the filter again.
 */
export function createKeptIds(db: Db) {
  const known = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (ids, key) => ids.length + key.length,
  })

  /** @returns a list in JSON; undefined when they are too many */
  return async (
    { collectionId, revision, dimensions }: Collection,
    filter: Filter,
    { form, values }: CompiledFilter,
  ): Promise<string | undefined> => {
    const key = JSON.stringify([collectionId, revision, dimensions, form, values])
    const found = known.get(key)
    if (found !== undefined) return found === tooMany ? undefined : found
    const rows = await db
      .select({ textId: embeddings.textId })
      .from(embeddings)
      .where(and(eq(embeddings.collectionId, collectionId), sql`(${filterCondition(filter)})`))
      .orderBy(asc(embeddings.collectionId), asc(embeddings.textId))
      .limit(mostKept + 1)
    const ids = rows.length > mostKept ? tooMany : JSON.stringify(rows.map(({ textId }) => textId))
    known.set(key, ids)
    return ids === tooMany ? undefined : ids
  }
}

const tooMany = ''
