import { asc, eq, or, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Collection } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { comparedPaths } from '../filters/filter.ts'
import { jsonPathTo } from '../filters/path-predicate.ts'
import type { SearchOptions } from './options.ts'

/** How many documents, the first by text_id, are checked for a field. */
const maxLookedAt = 1_000
/** Each field that was not seen before costs a statement. */
const maxChecked = 4
const maxRemembered = 5_000

/** A field that none of the documents looked at has. */
export interface MissingField {
  readonly path: readonly string[]
  readonly lookedAt: number
  /** Whether the project has no other documents. */
  readonly isAll: boolean
}

/**
 * `there` if the field exists or the check took too long; else the revision where it was missing.
 */
type Finding = 'there' | { readonly revision: number; readonly missing: MissingField }

/**
 * Reports a field that no document has: `metadata_path` then leaves nothing out, and a filter often
 * leaves out everything. A field that was found once is not looked for again, so common filters
 * cost nothing.
 */
export function createFieldCheck(db: Db) {
  const findings = new LRUCache<string, Finding>({ max: maxRemembered })
  const statement = fieldStatement(db)

  async function missing(
    { collectionId, revision, history, vectors }: Collection,
    path: readonly string[],
    mode: 'lax' | 'strict',
  ): Promise<MissingField | undefined> {
    const jsonPath = `${mode} ${jsonPathTo(path)}`
    const key = `${history} ${collectionId} ${jsonPath}`
    const finding = findings.get(key)
    if (finding === 'there') return undefined
    if (finding?.revision === revision) return finding.missing
    const rows = await statement.execute({ collectionId, path: jsonPath })
    if (rows.length > 0) {
      findings.set(key, 'there')
      return undefined
    }
    const isAll = vectors <= maxLookedAt
    const missing = { path, lookedAt: isAll ? vectors : maxLookedAt, isAll }
    findings.set(key, { revision, missing })
    return missing
  }

  return async (
    collection: Collection,
    { exclude, filter }: Pick<SearchOptions, 'exclude' | 'filter'>,
  ): Promise<MissingField | undefined> => {
    if (collection.vectors === 0) return undefined
    // Filters look into arrays, `metadata_path` does not.
    const fields = [
      ...(exclude ? [{ path: exclude.path, mode: 'strict' as const }] : []),
      ...(filter ? comparedPaths(filter) : []).map((path) => ({ path, mode: 'lax' as const })),
    ]
    for (const { path, mode } of fields.slice(0, maxChecked)) {
      const found = await missing(collection, path, mode)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Large metadata take seconds to read. The check is only a hint, so it gives up after 300 ms. */
const isLate = sql`clock_timestamp() > statement_timestamp() + interval '300 ms'`

/** Returns a row if one of the first documents has the field, or if the check takes too long. */
function fieldStatement(db: Db) {
  const first = db
    .select({ metadata: embeddings.metadata })
    .from(embeddings)
    .where(eq(embeddings.collectionId, sql.placeholder('collectionId')))
    .orderBy(asc(embeddings.textId))
    .limit(maxLookedAt)
    .as('first')
  return db
    .select({ one: sql`1` })
    .from(first)
    .where(or(isLate, sql`${first.metadata} @? ${sql.placeholder('path')}::jsonpath`))
    .limit(1)
    .prepare('find_field')
}
