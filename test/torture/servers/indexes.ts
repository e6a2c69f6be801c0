import type postgres from 'postgres'
import { collectionColumn } from '../collections.ts'

/**
 * All that is known here of search indexes: how they are named (src/search/index/catalog.ts), and
 * which projects get one (policy.ts there).
 */
export const limits = { exactBudget: 2_000, maxIndexes: 3 }
export const settings = {
  SERVICE_EXACTBUDGET: `${limits.exactBudget}`,
  SERVICE_MAXINDEXES: `${limits.maxIndexes}`,
}
/** Down to this share of the budget an index that is there already may stay. */
const keptAbove = 0.5

const namePattern = /^embeddings_hnsw_(\d+)_(?:halfvec_l2|bit)_\d+$/

export interface FoundIndex {
  readonly oid: number
  readonly name: string
  /** What `Stored` has as well; undefined for a name that is none. */
  readonly key: number | undefined
  readonly valid: boolean
}

/** A project and its embeddings. */
export interface Stored {
  readonly owner: string
  readonly handle: string
  /** In the names of indexes: what the project's present embeddings belong to. */
  readonly key: number
  readonly texts: number
  readonly components: number
}

export async function listIndexes(sql: postgres.Sql): Promise<FoundIndex[]> {
  const rows = await sql<{ oid: number; name: string; valid: boolean }[]>`
    select c.oid::int, relname as name, indisvalid and indisready as valid
    from pg_index join pg_class c on c.oid = indexrelid
    where indrelid = 'embeddings'::regclass and relname like '%hnsw%' order by relname`
  return rows.map((row) => {
    const [, key] = namePattern.exec(row.name) ?? []
    return { ...row, key: key === undefined ? undefined : Number(key) }
  })
}

export async function listStored(sql: postgres.Sql): Promise<Stored[]> {
  const key = sql(await collectionColumn(sql))
  return sql<Stored[]>`
    select user_handle as owner, project_handle as handle, p.${key}::int as key,
      (select count(*)::int from embeddings e where e.${key} = p.${key}) as texts,
      (select coalesce(sum(vector_dim), 0)::int from embeddings e where e.${key} = p.${key}) as components
    from projects p join users u on u.user_id = p.owner_id order by project_handle`
}

/** What one server would make of what is stored, whatever has been before. */
export function expected(stored: readonly Stored[]) {
  const { exactBudget, maxIndexes } = limits
  const required = stored
    .filter(({ components }) => components > exactBudget)
    .toSorted((a, b) => b.components - a.components)
    .slice(0, maxIndexes)
  // Whether such a one has an index depends on whether it was larger once.
  const optional = stored.filter(
    ({ components }) => components <= exactBudget && components > exactBudget * keptAbove,
  )
  return {
    required: new Set(required.map(({ key }) => key)),
    optional: new Set(required.length < maxIndexes ? optional.map(({ key }) => key) : []),
  }
}

/** What is wrong with the indexes that there are, in words. */
export function faultsOf(found: readonly FoundIndex[], stored: readonly Stored[]): string[] {
  const { required, optional } = expected(stored)
  const faults: string[] = []
  const had = new Set<number>()
  for (const { name, key, valid } of found) {
    if (key === undefined) faults.push(`${name} is no name of an index`)
    else if (had.has(key)) faults.push(`${name} is a second one`)
    else if (!valid) faults.push(`${name} is broken`)
    else if (!stored.some((project) => project.key === key)) faults.push(`${name} is of nothing`)
    else if (!required.has(key) && !optional.has(key)) faults.push(`${name} is not deserved`)
    if (key !== undefined) had.add(key)
  }
  for (const { owner, handle, key, texts } of stored) {
    if (required.has(key) && !had.has(key)) {
      faults.push(`${owner}/${handle} (${key}, ${texts} texts) has no index`)
    }
  }
  if (had.size > limits.maxIndexes) faults.push(`there are ${had.size} indexes`)
  return faults
}
