import { asc, eq, or, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Collection } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { comparisonsIn } from '../filters/filter.ts'
import { elementsOf, jsonPathTo, pathTo } from '../filters/path-predicate.ts'
import type { SearchOptions } from './options.ts'

/** How many documents, the first by text_id, are checked for a field. */
const maxLookedAt = 1_000
/** Each field that was not seen before costs a statement or two. */
const maxChecked = 4
const maxRemembered = 5_000

/** A field in which none of the documents looked at has what is needed there. */
export interface MissingField {
  readonly path: readonly string[]
  readonly lookedAt: number
  /** Whether the project has no other documents. */
  readonly isAll: boolean
  /** What it is compared with, and what it has instead; undefined if no document has the field. */
  readonly mismatch: { readonly wanted: string; readonly found: string } | undefined
}

/**
 * `there` if the field has what is needed or the check took too long; else the revision where it
 * had not.
 */
type Finding = 'there' | { readonly revision: number; readonly missing: MissingField }

/** What is needed in a field. */
interface Need {
  readonly path: readonly string[]
  /** Finds what is needed. Paths are in the form of SQL/JSON. */
  readonly found: string
  /** For values of certain types, their names, the field, and what to say the type of instead. */
  readonly values?: { readonly wanted: string; readonly field: string; readonly other: string }
}

/** Filters look into arrays, `metadata_path` and `group_by` do not. */
const fieldNeeded = (path: readonly string[]): Need => ({
  path,
  found: `strict ${jsonPathTo(path)}`,
})

/** A value of a type that the filter compares: numbers are never equal to texts. */
function valueNeeded({ test, path }: ReturnType<typeof comparisonsIn>[number]): Need {
  const types = [...new Set(test.values.map((value) => (value === null ? 'null' : typeof value)))]
  const field = `lax ${pathTo(test)}`
  if (types.length === 0) return { path, found: field }
  const isOne = types.map((type) => `@.type() == "${type}"`).join(' || ')
  const wanted = types.map(named).join(' or ') + (test.inArray ? ' in an array' : '')
  const other = test.inArray ? field : `${field}[*]`
  return { path, found: `lax ${elementsOf(test)} ? (${isOne})`, values: { wanted, field, other } }
}

const oddNames = { null: 'null', string: 'a text', array: 'an array', object: 'an object' }
const nameOf = new Map(Object.entries(oddNames))

/** A type of JSON with its article, as JSON has it but for texts. */
const named = (type: string) => nameOf.get(type) ?? `a ${type}`

type Looked = Pick<SearchOptions, 'exclude' | 'filter'> & Partial<Pick<SearchOptions, 'grouping'>>

const needsOf = ({ exclude, filter, grouping }: Looked): Need[] => [
  ...(exclude ? [fieldNeeded(exclude.path)] : []),
  ...(filter ? comparisonsIn(filter).map(valueNeeded) : []),
  ...(grouping ? [fieldNeeded(grouping.path)] : []),
]

/**
 * Reports a field that no document has, or never with a value of a type that the filter compares
 * it with: a filter then leaves out everything or nothing, and all results are one group. What was
 * found once is not looked for again, so common filters cost nothing.
 */
export function createFieldCheck(db: Db) {
  const findings = new LRUCache<string, Finding>({ max: maxRemembered })
  const statement = fieldStatement(db)

  async function missing(
    { collectionId, revision, history, vectors }: Collection,
    { path, found, values }: Need,
  ): Promise<MissingField | undefined> {
    const key = `${history} ${collectionId} ${found}`
    const finding = findings.get(key)
    if (finding === 'there') return undefined
    if (finding?.revision === revision) return finding.missing
    const look = (at: string, typed = at) =>
      statement.execute({ collectionId, path: at, typed: `${typed}.type()` })
    const isThere = (await look(found)).length > 0
    const [other] = isThere || !values ? [] : await look(values.field, values.other)
    // There is no type in an empty array, or if the check took too long.
    if (isThere || other?.type === null) {
      findings.set(key, 'there')
      return undefined
    }
    const isAll = vectors <= maxLookedAt
    const mismatch = values &&
      other && { wanted: values.wanted, found: named(other.type ?? 'value') }
    const missing = { path, lookedAt: isAll ? vectors : maxLookedAt, isAll, mismatch }
    findings.set(key, { revision, missing })
    return missing
  }

  return async (collection: Collection, options: Looked): Promise<MissingField | undefined> => {
    if (collection.vectors === 0) return undefined
    for (const need of needsOf(options).slice(0, maxChecked)) {
      const found = await missing(collection, need)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Large metadata take seconds to read. The check is only a hint, so it gives up after 300 ms. */
const isLate = sql`clock_timestamp() > statement_timestamp() + interval '300 ms'`

/**
 * The type of what is at one path in the first document that has another; of any document, or null,
 * if the check takes too long.
 */
function fieldStatement(db: Db) {
  const first = db
    .select({ metadata: embeddings.metadata })
    .from(embeddings)
    .where(eq(embeddings.collectionId, sql.placeholder('collectionId')))
    .orderBy(asc(embeddings.textId))
    .limit(maxLookedAt)
    .as('first')
  return db
    .select({
      type: sql<string | null>`jsonb_path_query_first(${first.metadata},
        ${sql.placeholder('typed')}::jsonpath, '{}', true) #>> '{}'`,
    })
    .from(first)
    .where(or(isLate, sql`${first.metadata} @? ${sql.placeholder('path')}::jsonpath`))
    .limit(1)
    .prepare('find_field')
}
