import { fileURLToPath } from 'node:url'
import { eq, exists, max, sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { migrate } from 'drizzle-orm/pg-proxy/migrator'
import { appliedMigrations, pgExtension } from './catalog.ts'
import { oneRow } from './columns.ts'
import type { Db, Transaction } from './database.ts'
import { searchPath } from './pgvector.ts'

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** The time stamp of the newest migration of this version. */
export const newestWanted = () => readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0

export interface SchemaState {
  /** Whether the extension pgvector is there. */
  readonly extension: boolean
  /** The time stamp of the newest migration that was applied; 0 before the first. */
  readonly newest: number
}

/** Reads only, so that it waits for no change of anybody's. */
export async function readSchemaState(db: Db): Promise<SchemaState> {
  const vector = db.select().from(pgExtension).where(eq(pgExtension.name, 'vector'))
  const [state] = await db
    .select({
      extension: sql<boolean>`${exists(vector)}`,
      migrated: sql<boolean>`to_regclass('drizzle.__drizzle_migrations') is not null`,
    })
    .from(oneRow)
  const [applied] = state?.migrated
    ? await db.select({ newest: max(appliedMigrations.createdAt) }).from(appliedMigrations)
    : []
  return { extension: state?.extension === true, newest: applied?.newest ?? 0 }
}

/**
 * The tables live in `public`, which the foreign keys of the migrations name, also where there is a
 * schema of the database user's own name, in which PostgreSQL would look first.
 */
export async function useSchema(db: Db): Promise<void> {
  await db.execute(sql`select set_config('search_path', ${sql.raw(searchPath)}, true)`)
}

export async function applyMigrations({ db }: Transaction): Promise<void> {
  const run = async (statements: string[]) => {
    for (const statement of statements) await db.execute(sql.raw(statement))
  }
  // The migrator asks for the driver's own handle, and executes statements without parameters alone.
  const handle = drizzle(async (text) => ({ rows: await db.execute(sql.raw(text)) }))
  await migrate(handle, run, { migrationsFolder })
}
