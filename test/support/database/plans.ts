import { type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { z } from 'zod'
import type { Database, Db, Pool, Transaction } from '../../../src/db/database.ts'

/** One scan of a table by a statement. */
export interface Scan {
  readonly table: string
  /** undefined for a scan of the whole table. */
  readonly index: string | undefined
  /** Rows that it met, those included which a filter left out. */
  readonly rows: number
}

/** What a statement does, with the rows that it met when it was tried. */
export interface Plan {
  readonly scans: readonly Scan[]
  /** All that PostgreSQL tells of it, as JSON. */
  readonly text: string
}

const Node = z.object({
  'Node Type': z.string(),
  Alias: z.string().optional(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().optional(),
  'Rows Removed by Index Recheck': z.number().optional(),
  get Plans() {
    return z.array(Node).optional()
  },
})
type Node = z.infer<typeof Node>

const Explained = z.array(z.object({ Plan: Node }))

class RolledBack extends Error {}

/**
 * The plans of each statement of what `run` does with the database, as a pool's sessions make them: one
 * for the parameters at hand and one for all parameters. Nothing of it lasts.
 */
async function plansOf(
  pool: Pool,
  database: Database,
  run: (database: Database) => Promise<unknown>,
): Promise<Plan[]> {
  const plans: Plan[] = []
  const attempt = pool.transaction(async (tx) => {
    await run(watched(database, tx, plans))
    throw new RolledBack()
  })
  await attempt.catch((error) => {
    if (!(error instanceof RolledBack)) throw error
  })
  return plans
}

/** All scans of those plans. */
export const scansOf = async (...given: Parameters<typeof plansOf>): Promise<Scan[]> =>
  (await plansOf(...given)).flatMap(({ scans }) => scans)

/** The plans of searches, with their scans of `embeddings` alone. */
export async function searchPlansOf(
  database: Database,
  run: (db: Db) => Promise<unknown>,
): Promise<Plan[]> {
  const plans = await plansOf(database.search, database, ({ search }) => run(search.db))
  const isOfEmbeddings = ({ table }: Scan) => table === 'embeddings'
  return plans.map(({ scans, text }) => ({ text, scans: scans.filter(isOfEmbeddings) }))
}

/** A database all of whose statements run in this transaction. */
function watched(database: Database, tx: Transaction, plans: Plan[]): Database {
  let before: Promise<unknown> = Promise.resolve()
  // One after another, as a connection does.
  const db = drizzle((text, params, method) => {
    const result = before.then(() => run(text, params, method))
    before = result.catch(() => {})
    return result
  })
  const run = async (text: string, params: unknown[], method: 'all' | 'execute') => {
    if (!/^[\s(]*(select|insert|update|delete|with)\b/i.test(text)) {
      return { rows: await tx.db.execute(sql.raw(text)) }
    }
    await tx.db.execute(sql.raw(`prepare seen as ${text}`))
    const execution = sql.raw(
      params.length === 0 ? 'execute seen' : `execute seen(${params.map(literal).join(', ')})`,
    )
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      plans.push(await explain(tx, execution, mode))
    }
    const rows: object[] = await tx.db.execute(execution)
    await tx.db.execute(sql`deallocate seen`)
    return { rows: method === 'all' ? rows.map((row) => Object.values(row)) : rows }
  }
  const watchedTx = { ...tx, db }
  const pool: Pool = { db, transaction: (work) => work(watchedTx) }
  const maintenance = { ...pool, session: <T>(work: (each: typeof db) => Promise<T>) => work(db) }
  return {
    ...database,
    remembering: (read) => read,
    short: pool,
    search: pool,
    bulk: pool,
    maintenance,
  }
}

async function explain({ db }: Transaction, execution: SQL, mode: string): Promise<Plan> {
  await db.execute(sql`savepoint before_plan`)
  await db.execute(sql.raw(`set local plan_cache_mode = ${mode}`))
  const [row]: object[] = await db.execute(
    sql`explain (analyze, costs off, timing off, buffers off, format json) ${execution}`,
  )
  await db.execute(sql`rollback to savepoint before_plan`)
  const [given]: unknown[] = Object.values(row ?? {})
  const explained = Explained.parse(typeof given === 'string' ? JSON.parse(given) : given)
  return { scans: explained.flatMap(({ Plan }) => scansIn(Plan)), text: JSON.stringify(given) }
}

function scansIn(node: Node): Scan[] {
  const table = node['Relation Name']
  const type = node['Node Type']
  // Other nodes with a table change what their plans have found; by a row's place one is found once more.
  // As `query`, the vector that is searched for is looked up.
  const isScan = /(?<!Tid )Scan$/.test(type) && node.Alias !== 'query' && node['Actual Loops'] > 0
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const rows = (node['Actual Rows'] + removed) * node['Actual Loops']
  const own = isScan && table !== undefined ? [{ table, index: indexOf(node), rows }] : []
  return [...own, ...(node.Plans ?? []).flatMap(scansIn)]
}

/** A scan by a bitmap has it in its plans. */
const indexOf = (node: Node): string | undefined =>
  node['Index Name'] ??
  (/^Bitmap/.test(node['Node Type'])
    ? node.Plans?.flatMap((plan) => indexOf(plan) ?? []).join()
    : undefined)

const literal = (value: unknown) =>
  value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`
