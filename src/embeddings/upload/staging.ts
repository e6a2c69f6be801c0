import { type AnyColumn, sql } from 'drizzle-orm'
import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { byteOrderedText } from '../../db/columns.ts'
import type { Db, Transaction } from '../../db/database.ts'
import { vector } from '../../db/pgvector.ts'
import { embeddings } from '../../db/schema.ts'

/** What to do with an embedding whose text_id exists already. */
export const conflictRules = ['error', 'skip', 'replace'] as const
export type ConflictRule = (typeof conflictRules)[number]

/** The table for rows that may not be new. It has no constraints, so that COPY cannot fail. */
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

/** What was written. Everything else existed already and, under the rule `replace`, is the same. */
export interface Written {
  readonly added: ReadonlySet<string>
  readonly replaced: ReadonlySet<string>
}

/** Rows in the binary COPY format, and their number. */
interface EncodedRows {
  readonly count: number
  readonly bytes: Uint8Array
}

/** Copies rows into the temporary table, which keeps them until the transaction ends. */
export async function stageRows({ db, copyIn }: Transaction, rows: EncodedRows): Promise<void> {
  await db.execute(createStaged)
  await copyIn('staged_embeddings (ordinal, text_id, vector, text, metadata)', rows.bytes)
  const count = await db.$count(staged)
  // The embedded engine has been seen to report success for statements that stored nothing.
  if (count !== rows.count) throw new Error(`staged ${count} of ${rows.count} rows`)
}

/**
 * Stages rows, inserts those with a new text_id, and replaces the others if the rule says so and
 * they differ.
 */
export async function storeRows(
  tx: Transaction,
  collectionId: number,
  dimensions: number,
  rows: EncodedRows,
  rule: ConflictRule,
): Promise<Written> {
  await stageRows(tx, rows)
  const insert = insertStaged(tx.db, collectionId, dimensions)
  const written = await (rule === 'replace'
    ? insert.onConflictDoUpdate({ target, set: replacement, setWhere: differs })
    : insert.onConflictDoNothing()
  ).returning({ textId: embeddings.textId, isNew })
  const idsOf = (isAdded: boolean) =>
    new Set(written.filter((row) => row.isNew === isAdded).map(({ textId }) => textId))
  return { added: idsOf(true), replaced: idsOf(false) }
}

const target = [embeddings.collectionId, embeddings.textId]

/** Zero only for an inserted row, because an update has locked the row before. */
const isNew = sql<boolean>`xmax = 0`

const excluded = (column: AnyColumn) => sql`excluded.${sql.identifier(column.name)}`

/** Replaces all columns, as if the old row had been deleted. */
const replacement = {
  createdAt: excluded(embeddings.createdAt),
  vectorDim: excluded(embeddings.vectorDim),
  vector: excluded(embeddings.vector),
  metadata: excluded(embeddings.metadata),
  text: excluded(embeddings.text),
}

/** Compares vectors by their bytes, because their operator considers 0 and -0 equal. */
const differs = sql`vector_send(${embeddings.vector}) <> vector_send(${replacement.vector})
  or ${embeddings.metadata} is distinct from ${replacement.metadata}
  or ${embeddings.text} is distinct from ${replacement.text}`

/** @param createdAt the time of a row, by its `ordinal` */
export const insertStaged = (
  db: Db,
  collectionId: number,
  dimensions: number,
  createdAt = sql`now()`,
) =>
  db.insert(embeddings).select((query) =>
    query
      .select({
        collectionId: sql`${collectionId}::bigint`.as('collection_id'),
        createdAt: createdAt.as('created_at'),
        vectorDim: sql`${dimensions}::integer`.as('vector_dim'),
        textId: staged.textId,
        vector: staged.vector,
        metadata: staged.metadata,
        text: staged.text,
      })
      .from(staged)
      // The same order everywhere, so that concurrent batches cannot deadlock.
      .orderBy(staged.textId),
  )
