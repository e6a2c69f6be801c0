import { asc, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Collection } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { jsonPathTo } from '../filters/path-predicate.ts'
import { pathNames, stepsInto } from './metadata-filter.ts'

/** How many documents are looked at for a field, the first by text_id. */
export const mostLookedAt = 1_000
const maxRemembered = 5_000
/** Large metadata take seconds; what is said of them is a help, and no part of the answer. */
const isLate = sql`clock_timestamp() > statement_timestamp() + interval '300 ms'`

/** A field that none of the documents that were looked at has. */
export interface MissingField {
  readonly path: readonly string[]
  readonly lookedAt: number
  /** Whether the project has no others. */
  readonly isAll: boolean
}

/** A field that a search names. */
export interface NamedField {
  readonly path: readonly string[]
  /** As filters do, and metadata_path does not. */
  readonly looksIntoArrays: boolean
}

/** The field is there, or looking for it takes long; or it was missing at this revision. */
type Finding = 'there' | { readonly revision: number; readonly missing: MissingField }

/**
 * Tells of a field that no document has: metadata_path leaves out nothing then, and a filter often everything.
 * A field that was seen once is not looked for again: a usual filter costs nothing.
 */
export function createFieldCheck(db: Db) {
  const findings = new LRUCache<string, Finding>({ max: maxRemembered })
  const statements = new Map<number, ReturnType<typeof fieldStatement>>()
  const anywhere = anywhereStatement(db)

  async function isThere(
    collectionId: number,
    { path, looksIntoArrays }: NamedField,
  ): Promise<boolean> {
    if (looksIntoArrays) {
      return (await anywhere.execute({ collectionId, path: jsonPathTo(path) })).length > 0
    }
    const statement = statements.get(path.length) ?? fieldStatement(db, path.length)
    statements.set(path.length, statement)
    const steps = pathNames(path.length).map((name, step) => [name, path[step]])
    const found = await statement.execute({ collectionId, ...Object.fromEntries(steps) })
    return found.length > 0
  }

  return async (
    { collectionId, revision, vectors }: Collection,
    field: NamedField,
  ): Promise<MissingField | undefined> => {
    if (vectors === 0) return undefined
    const key = `${collectionId} ${JSON.stringify(field)}`
    const known = findings.get(key)
    if (known === 'there') return undefined
    if (known?.revision === revision) return known.missing
    if (await isThere(collectionId, field)) {
      findings.set(key, 'there')
      return undefined
    }
    const isAll = vectors <= mostLookedAt
    const missing = { path: field.path, lookedAt: isAll ? vectors : mostLookedAt, isAll }
    findings.set(key, { revision, missing })
    return missing
  }
}

/** One row if one of the first documents has a field at a metadata path of this depth, or they take long. */
function fieldStatement(db: Db, depth: number) {
  const first = firstDocuments(db, stepsInto(depth))
  return db
    .select({ one: sql`1` })
    .from(first)
    .where(or(isLate, isNotNull(first.field)))
    .limit(1)
    .prepare('find_field')
}

/** The same for a path that looks into arrays. */
function anywhereStatement(db: Db) {
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
    .limit(mostLookedAt)
    .as('first')
