import { bigint, boolean, numeric, pgSchema, text } from 'drizzle-orm/pg-core'

/*
 * The parts of PostgreSQL's catalog and of Drizzle's migration table that are read here. They are
 * not in schema.ts, because drizzle-kit makes migrations of that file.
 */

const pgCatalog = pgSchema('pg_catalog')
const oid = (name: string) => bigint(name, { mode: 'number' })

export const pgExtension = pgCatalog.table('pg_extension', {
  name: text('extname'),
  version: text('extversion'),
})

export const pgClass = pgCatalog.table('pg_class', {
  oid: oid('oid'),
  name: text('relname').notNull(),
})

export const pgIndex = pgCatalog.table('pg_index', {
  indexOid: oid('indexrelid'),
  tableOid: oid('indrelid'),
  isValid: boolean('indisvalid'),
  isReady: boolean('indisready'),
})

export const pgIndexBuilds = pgCatalog
  .view('pg_stat_progress_create_index', { indexOid: oid('index_relid') })
  .existing()

/** The applied migrations, by their time stamps in milliseconds. */
export const appliedMigrations = pgSchema('drizzle').table('__drizzle_migrations', {
  createdAt: numeric('created_at', { mode: 'number' }),
})
