import { doublePrecision, pgTable, timestamp } from 'drizzle-orm/pg-core'
import { bytes, id } from './columns.ts'
import { collections } from './schema.ts'

/** Where the embeddings of a collection lie in the plane, as of one revision. It goes with the collection. */
export const maps = pgTable('maps', {
  collectionId: id('collection_id')
    .primaryKey()
    .references(() => collections.collectionId, { onDelete: 'cascade' }),
  revision: id('revision').notNull(),
  computedAt: timestamp('computed_at', { withTimezone: true }).notNull(),
  /** How long that took. */
  seconds: doublePrecision('seconds').notNull(),
  /** As `KeptPlaces` has them. */
  points: bytes('points').notNull(),
})
