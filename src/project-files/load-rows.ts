import { sql } from 'drizzle-orm'
import { countLoaded } from '../collections/loading.ts'
import type { Database } from '../db/database.ts'
import { insertStaged, stageRows } from '../embeddings/upload/staging.ts'
import { encodeRows } from '../vectors/copy-format.ts'
import type { FileRow } from './read-file.ts'

/** Adds a batch, with the file's dates, to a collection that is not visible yet. */
export async function loadRows(
  database: Database,
  collectionId: number,
  dimensions: number,
  rows: readonly FileRow[],
): Promise<void> {
  const bytes = encodeRows(rows)
  const times = JSON.stringify(rows.map(({ createdAt }) => createdAt))
  const createdAt = sql`((select ${times}::jsonb) ->> ordinal)::timestamptz`
  await database.bulk.transaction(async (tx) => {
    await stageRows(tx, { count: rows.length, bytes })
    const insert = insertStaged(tx.db, collectionId, dimensions, createdAt)
    const stored = await insert.returning({ one: sql`1` })
    if (stored.length !== rows.length) throw new Error(`stored ${stored.length} of ${rows.length}`)
    await countLoaded(tx.db, collectionId, rows.length, dimensions)
  })
}
