import { pgSchema, text } from 'drizzle-orm/pg-core'

/*
 * What PostgreSQL and Drizzle's migrator keep themselves, as far as it is read here. Apart from schema.ts,
 * which drizzle-kit makes migrations of.
 */

const pgCatalog = pgSchema('pg_catalog')

export const pgExtension = pgCatalog.table('pg_extension', {
  name: text('extname'),
  version: text('extversion'),
})
