import { sql } from 'drizzle-orm'
import { oneRow } from '../../../src/db/columns.ts'
import type { Database } from '../../../src/db/database.ts'

export type SavedTables = Awaited<ReturnType<typeof saveTables>>

/** What is computed of other rows, and kept when somebody reads it, or has no rows: no change of the data. */
const derived = ['maps', 'distributed_commits']

/** Keeps a copy of all rows, to tell whether anything has changed and to undo it. */
export async function saveTables({ short: { db } }: Database) {
  const run = (text: string) => db.execute(sql.raw(text))
  const found = await db
    .select({ name: sql<string>`quote_ident(tablename)` })
    .from(sql`pg_tables`)
    .where(sql`schemaname = 'public'`)
    .orderBy(sql`tablename`)
  const tables = found.map(({ name }) => name).filter((name) => !derived.includes(name))
  // What is computed of other columns cannot be put back.
  const columns = await db
    .select({
      table: sql<string>`quote_ident(table_name)`,
      list: sql<string>`string_agg(quote_ident(column_name), ', ')`,
    })
    .from(sql`information_schema.columns`)
    .where(sql`table_schema = 'public' and is_generated = 'NEVER'`)
    .groupBy(sql`table_name`)
  const saved = columns.filter(({ table }) => tables.includes(table))
  await run('create schema saved')
  for (const table of tables) await run(`create table saved.${table} as table public.${table}`)

  const digests = tables.map(
    (table) =>
      `(select count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) from public.${table} t)`,
  )
  await run(`create function saved.digest() returns text language plpgsql as
    $$ begin return concat_ws(' ', ${digests.join()}); end $$`)

  const differing = (table: string, from: string, other: string) =>
    `from ${from}.${table} t where t::text not in (select t::text from ${other}.${table} t)`
  // Citus deletes by keys that are known before.
  const byKey = `for row in select collection_id, text_id ${differing('embeddings', 'public', 'saved')} loop
    delete from public.embeddings where collection_id = row.collection_id and text_id = row.text_id; end loop`
  const undo = [
    byKey,
    ...tables
      .filter((table) => table !== 'embeddings')
      .map((table) => `delete ${differing(table, 'public', 'saved')}`),
    ...saved.map(
      ({ table, list }) =>
        `insert into public.${table} (${list}) overriding system value select ${list} ${differing(table, 'saved', 'public')}`,
    ),
  ]
  // As a replica, on which foreign keys neither object nor cascade.
  await run(`create function saved.restore() returns void language plpgsql as $$
    declare row record; begin
    perform set_config('session_replication_role', 'replica', true);
    ${undo.join(';\n')}; end $$`)

  return {
    tables,
    async digest(): Promise<string> {
      const [row] = await db.select({ digest: sql<string>`saved.digest()` }).from(oneRow)
      return row?.digest ?? ''
    },
    async restore(): Promise<void> {
      await db.select({ done: sql`saved.restore()` }).from(oneRow)
    },
  }
}
