import { sql } from 'drizzle-orm'
import { countLoaded } from '../collections/loading.ts'
import type { Database } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { staged, stageRows } from '../embeddings/staging.ts'
import { encodeRows } from '../vectors/copy-format.ts'
import type { FileRow } from './read-file.ts'

/** Adds a batch, with the dates of the file, to a collection that nobody else sees. */
export async function loadRows(
  database: Database,
  collectionId: number,
  dimensions: number,
  rows: readonly FileRow[],
): Promise<void> {
  const bytes = encodeRows(rows)
  const times = JSON.stringify(rows.map(({ createdAt }) => createdAt))
  await database.bulk.transaction(async (tx) => {
    const { db } = tx
    await stageRows(tx, bytes)
    const stored = await db
      .insert(embeddings)
      .select(
        sql`select ${collectionId}::bigint, (times.list ->> ordinal)::timestamptz, ${dimensions}::integer,
          text_id, vector, metadata, text
          from ${staged}, (select ${times}::jsonb as list offset 0) as times`,
      )
      .returning({ textId: embeddings.textId })
    // As in src/embeddings/staging.ts: the embedded engine has been seen to store nothing.
    if (stored.length !== rows.length) throw new Error(`stored ${stored.length} of ${rows.length}`)
    await countLoaded(db, collectionId, rows.length, dimensions)
  })
}
