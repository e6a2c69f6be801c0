import { sql } from 'drizzle-orm'
import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { byteOrderedText } from '../db/columns.ts'
import type { Db, Transaction } from '../db/database.ts'
import { vector } from '../db/pgvector.ts'
import { embeddings } from '../db/schema.ts'

/** Where rows land before they are known to be new: no constraints, so that COPY cannot fail. */
const staged = pgTable('staged_embeddings', {
  ordinal: integer('ordinal').notNull(),
  textId: byteOrderedText('text_id').notNull(),
  vector: vector('vector').notNull(),
  text: text('text'),
  metadata: jsonb('metadata'),
})

const createStaged = sql`create temporary table if not exists staged_embeddings (
  ordinal integer, text_id text collate "C", vector vector, text text, metadata jsonb
) on commit delete rows`

/**
 * Copies rows into the temporary table and moves those over whose text_id is new.
 * @param count of the rows
 * @param bytes the rows in the binary COPY format
 * @returns the text_ids that were new
 */
export async function insertRows(
  { db, copyIn }: Transaction,
  collectionId: number,
  dimensions: number,
  count: number,
  bytes: Uint8Array,
): Promise<Set<string>> {
  await db.execute(createStaged)
  await copyIn('staged_embeddings (ordinal, text_id, vector, text, metadata)', bytes)
  const stored = await db.$count(staged)
  // The embedded engine has been seen to report success for statements that stored nothing.
  if (stored !== count) throw new Error(`staged ${stored} of ${count} rows`)
  return moveStaged(db, collectionId, dimensions)
}

async function moveStaged(db: Db, collectionId: number, dimensions: number): Promise<Set<string>> {
  const inserted = await db
    .insert(embeddings)
    .select((query) =>
      query
        .select({
          collectionId: sql`${collectionId}::bigint`.as('collection_id'),
          createdAt: sql`now()`.as('created_at'),
          vectorDim: sql`${dimensions}::integer`.as('vector_dim'),
          textId: staged.textId,
          vector: staged.vector,
          metadata: staged.metadata,
          text: staged.text,
        })
        .from(staged)
        // In one order everywhere, so that concurrent batches cannot deadlock.
        .orderBy(staged.textId),
    )
    .onConflictDoNothing()
    .returning({ textId: embeddings.textId })
  return new Set(inserted.map(({ textId }) => textId))
}
