import { asc, eq, isNotNull, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import type { Collection } from '../projects/project.ts'
import { pathNames, stepsInto } from './metadata-filter.ts'

/** How many documents are looked at for a field, the first by text_id. */
export const mostLookedAt = 1_000
const maxRemembered = 5_000

/** A field that none of the documents that were looked at has. */
export interface MissingField {
  readonly path: readonly string[]
  readonly lookedAt: number
  /** Whether the project has no others. */
  readonly isAll: boolean
}

/** What was found: the field, or that it was missing at this revision. */
type Finding = 'there' | { readonly revision: number; readonly missing: MissingField }

/**
 * Tells of a filter whose field no document has, which leaves out nothing. A field that was seen once is
 * not looked for again: a usual filter costs nothing.
 */
export function createFieldCheck(db: Db) {
  const findings = new LRUCache<string, Finding>({ max: maxRemembered })
  const statements = new Map<number, ReturnType<typeof fieldStatement>>()

  async function isThere(collectionId: number, path: readonly string[]): Promise<boolean> {
    const statement = statements.get(path.length) ?? fieldStatement(db, path.length)
    statements.set(path.length, statement)
    const steps = pathNames(path.length).map((name, step) => [name, path[step]])
    const found = await statement.execute({ collectionId, ...Object.fromEntries(steps) })
    return found.length > 0
  }

  return async (
    { collectionId, revision, vectors }: Collection,
    path: readonly string[],
  ): Promise<MissingField | undefined> => {
    if (vectors === 0) return undefined
    const key = `${collectionId} ${JSON.stringify(path)}`
    const known = findings.get(key)
    if (known === 'there') return undefined
    if (known?.revision === revision) return known.missing
    if (await isThere(collectionId, path)) {
      findings.set(key, 'there')
      return undefined
    }
    const isAll = vectors <= mostLookedAt
    const missing = { path, lookedAt: isAll ? vectors : mostLookedAt, isAll }
    findings.set(key, { revision, missing })
    return missing
  }
}

/** One row if one of the first documents has a field at a metadata path of this depth. */
function fieldStatement(db: Db, depth: number) {
  const first = db
    .select({ field: stepsInto(depth).as('field') })
    .from(embeddings)
    .where(eq(embeddings.collectionId, sql.placeholder('collectionId')))
    .orderBy(asc(embeddings.textId))
    .limit(mostLookedAt)
    .as('first')
  return db
    .select({ one: sql`1` })
    .from(first)
    .where(isNotNull(first.field))
    .limit(1)
    .prepare('find_field')
}
