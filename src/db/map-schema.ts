import { doublePrecision, pgTable, timestamp } from 'drizzle-orm/pg-core'
import { bytes, id } from './columns.ts'
import { collections } from './schema.ts'

/** The places of a collection's embeddings in the plane, as of one revision. */
export const maps = pgTable('maps', {
  collectionId: id('collection_id')
    .primaryKey()
    .references(() => collections.collectionId, { onDelete: 'cascade' }),
  revision: id('revision').notNull(),
  computedAt: timestamp('computed_at', { withTimezone: true }).notNull(),
  /** How long the computation took. */
  seconds: doublePrecision('seconds').notNull(),
  /** In the form of `KeptPlaces`. */
  points: bytes('points').notNull(),
})
