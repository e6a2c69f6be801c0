import { fileURLToPath } from 'node:url'
import { eq, exists, max, sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { migrate } from 'drizzle-orm/pg-proxy/migrator'
import { StartupError } from '../errors.ts'
import { version } from '../version.ts'
import { appliedMigrations, pgExtension } from './catalog.ts'
import { oneRow } from './columns.ts'
import type { Db, Transaction } from './database.ts'
import { databaseFacts } from './schema.ts'

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** The time stamp of the newest migration of this version. */
export const newestWanted = () => readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0

/** The fact that says which version of the service applied the last migrations. */
const migratedBy = 'migrated-by'

/**
 * Only reads, so that it waits for nobody's changes.
 * @returns whether the extension pgvector is there, and the time stamp of the newest migration that
 *   was applied, 0 before the first
 */
export async function readSchemaState(db: Db) {
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

/** @throws StartupError if a newer version of the service has migrated this database */
export async function refuseNewer(db: Db, newest: number): Promise<void> {
  if (newest <= newestWanted()) return
  const [by] = await db
    .select({ version: databaseFacts.value })
    .from(databaseFacts)
    .where(eq(databaseFacts.name, migratedBy))
  const other =
    by === undefined || by.version === version ? 'a newer version' : `version ${by.version}`
  throw new StartupError(
    `the database was brought up to date by ${other} of Semblance, and this is version ${version}; start that version or a newer one, or restore a backup from before the upgrade`,
  )
}

/** Requires that the extension is there already. */
export async function applyMigrations({ db }: Transaction): Promise<void> {
  const run = async (statements: string[]) => {
    // With Citus only the extension's owner may run CREATE EXTENSION, even if it is there already.
    const others = statements.filter((statement) => !/^CREATE EXTENSION/m.test(statement))
    for (const statement of others) await db.execute(sql.raw(statement))
  }
  // The migrator needs the driver's own handle, and only executes statements without parameters.
  const handle = drizzle(async (text) => ({ rows: await db.execute(sql.raw(text)) }))
  await migrate(handle, run, { migrationsFolder })
  await db
    .insert(databaseFacts)
    .values({ name: migratedBy, value: version })
    .onConflictDoUpdate({ target: databaseFacts.name, set: { value: version } })
}
