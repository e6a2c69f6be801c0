import { LRUCache } from 'lru-cache'
import type { Collection } from '../../access/project.ts'
import type { Db } from '../../db/database.ts'
import { jsonPathTo } from '../../filters/path-predicate.ts'
import { anywhereStatement, fieldStatement, maxLookedAt } from '../statements/filter-statements.ts'
import { pathNames } from '../statements/metadata-filter.ts'

const maxRemembered = 5_000
/** A field that none of the documents looked at has. */
export interface MissingField {
  readonly path: readonly string[]
  readonly lookedAt: number
  /** Whether the project has no other documents. */
  readonly isAll: boolean
}

export interface NamedField {
  readonly path: readonly string[]
  /** True for filters, false for metadata_path. */
  readonly looksIntoArrays: boolean
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
    { collectionId, revision, history, vectors }: Collection,
    field: NamedField,
  ): Promise<MissingField | undefined> => {
    if (vectors === 0) return undefined
    const key = `${history} ${collectionId} ${JSON.stringify(field)}`
    const known = findings.get(key)
    if (known === 'there') return undefined
    if (known?.revision === revision) return known.missing
    if (await isThere(collectionId, field)) {
      findings.set(key, 'there')
      return undefined
    }
    const isAll = vectors <= maxLookedAt
    const missing = { path: field.path, lookedAt: isAll ? vectors : maxLookedAt, isAll }
    findings.set(key, { revision, missing })
    return missing
  }
}
