import { type AnyColumn, sql } from 'drizzle-orm'
import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { byteOrderedText } from '../db/columns.ts'
import type { Db, Transaction } from '../db/database.ts'
import { vector } from '../db/pgvector.ts'
import { embeddings } from '../db/schema.ts'
import type { ConflictRule } from './conflict-rule.ts'

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

/** What was written; all else was there already, and in case of `replace` is the same. */
export interface Written {
  readonly added: ReadonlySet<string>
  readonly replaced: ReadonlySet<string>
}

/** How many there are, and they themselves in the binary COPY format. */
interface EncodedRows {
  readonly count: number
  readonly bytes: Uint8Array
}

/** Lets rows land there until the transaction ends. */
export async function stageRows({ db, copyIn }: Transaction, rows: EncodedRows): Promise<void> {
  await db.execute(createStaged)
  await copyIn('staged_embeddings (ordinal, text_id, vector, text, metadata)', rows.bytes)
  const count = await db.$count(staged)
  // The embedded engine has been seen to report success for statements that stored nothing.
  if (count !== rows.count) throw new Error(`staged ${count} of ${rows.count} rows`)
}

/**
 * Copies rows into the temporary table, moves those over whose text_id is new, and replaces others if the
 * rule says so and they differ.
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

/** An update has locked the row before it. */
const isNew = sql<boolean>`xmax = 0`

const excluded = (column: AnyColumn) => sql`excluded.${sql.identifier(column.name)}`

/** As if the old one had been deleted. */
const replacement = {
  createdAt: excluded(embeddings.createdAt),
  vectorDim: excluded(embeddings.vectorDim),
  vector: excluded(embeddings.vector),
  metadata: excluded(embeddings.metadata),
  text: excluded(embeddings.text),
}

/** By the bytes of the vector: its operator takes 0 and -0 for equal. */
const differs = sql`vector_send(${embeddings.vector}) <> vector_send(${replacement.vector})
  or ${embeddings.metadata} is distinct from ${replacement.metadata}
  or ${embeddings.text} is distinct from ${replacement.text}`

/** @param createdAt of a row, by its `ordinal` */
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
      // In one order everywhere, so that concurrent batches cannot deadlock.
      .orderBy(staged.textId),
  )
