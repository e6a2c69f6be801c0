import { asc, eq, or, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Collection } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { comparisonsIn } from '../filters/filter.ts'
import { printPath } from '../filters/metadata-path.ts'
import { elementsOf, jsonPathTo, pathTo } from '../filters/path-predicate.ts'
import type { SearchOptions } from './options.ts'

/** How many documents, the first by text_id, are checked for a field. */
const maxLookedAt = 1_000
/** Each field that was not seen before costs a statement or two. */
const maxChecked = 4
const maxRemembered = 5_000
/** Longest path that a note shows, in characters. */
const shownPath = 100

/** `there` if the field has what is needed or the check took too long; else where it had not, and what to say. */
type Finding = 'there' | { readonly revision: number; readonly note: string }

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
 * Says that no document has a field, or none has a value there of a type that the filter compares
 * it with: a filter then leaves out everything or nothing, and all results are one group. What was
 * found once is not looked for again, so common filters cost nothing.
 */
export function createFieldCheck(db: Db) {
  const findings = new LRUCache<string, Finding>({ max: maxRemembered })
  const statement = fieldStatement(db)

  async function noteOn(collection: Collection, need: Need): Promise<string | undefined> {
    const { collectionId, revision, history, vectors } = collection
    const { found, values } = need
    const key = `${history} ${collectionId} ${found}`
    const finding = findings.get(key)
    if (finding === 'there') return undefined
    if (finding?.revision === revision) return finding.note
    const look = (at: string, typed = at) =>
      statement.execute({ collectionId, path: at, typed: `${typed}.type()` })
    const isThere = (await look(found)).length > 0
    const [other] = isThere || !values ? [] : await look(values.field, values.other)
    // There is no type in an empty array, or if the check took too long.
    if (isThere || other?.type === null) {
      findings.set(key, 'there')
      return undefined
    }
    const note = `${noneOf(vectors)} ${lackedBy(need, other?.type)}`
    findings.set(key, { revision, note })
    return note
  }

  return async (collection: Collection, options: Looked): Promise<string | undefined> => {
    if (collection.vectors === 0) return undefined
    for (const need of needsOf(options).slice(0, maxChecked)) {
      const note = await noteOn(collection, need)
      if (note !== undefined) return note
    }
    return undefined
  }
}

const noneOf = (vectors: number) =>
  vectors <= maxLookedAt
    ? 'No document of this project has'
    : `None of the first ${maxLookedAt.toLocaleString('en-US')} documents by text_id has`

/** In ASCII, as headers require. @param type of what the first document has there instead */
function lackedBy({ path: keys, values }: Need, type: string | undefined): string {
  const path = printPath(keys)
  const shown = JSON.stringify(path.length > shownPath ? `${path.slice(0, shownPath)}...` : path)
  const field = shown.replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return values === undefined || type === undefined
    ? `a field ${field} in its metadata`
    : `${values.wanted} in the field ${field}, with which the filter compares it: the first that has the field has ${named(type)}`
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
