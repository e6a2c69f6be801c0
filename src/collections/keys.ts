import { and, asc, desc, eq, gt, gte, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'

// Everything of a collection is found by the keys of its embeddings. Each statement names the
// collection by a value that is known beforehand.

/** How many embeddings one statement names. */
const keysAtOnce = 1_000
/** Rows per group when keys are read in order. */
const maxGroupRows = 2_000

export const inCollection = (collectionId: number): SQL => eq(embeddings.collectionId, collectionId)

export const isEmbedding = (collectionId: SQLWrapper | number, textId: SQLWrapper | string) =>
  and(eq(embeddings.collectionId, collectionId), eq(embeddings.textId, textId))

interface KeyRange {
  /** After this text_id, which need not exist. */
  readonly after?: string | undefined
  readonly from?: SQL | undefined
  readonly upTo?: string | undefined
}

export const inRange = (collectionId: number, { after, from, upTo }: KeyRange): SQL | undefined =>
  and(
    inCollection(collectionId),
    after === undefined ? undefined : gt(embeddings.textId, after),
    from && gte(embeddings.textId, from),
    upTo === undefined ? undefined : lte(embeddings.textId, upTo),
  )

/**
 * The embeddings with these text_ids. The range from the first to the last makes this a scan of the
 * key, whatever the planner expects of the list.
 * @param ordered by their bytes
 */
export const isAmong = (ordered: readonly string[]): SQL | undefined =>
  and(
    gte(embeddings.textId, ordered[0] ?? ''),
    lte(embeddings.textId, ordered.at(-1) ?? ''),
    sql`${embeddings.textId} = any (${textArray(ordered)}::text[])`,
  )

/**
 * A single parameter, so that the text of the statement does not depend on the number of values.
 * Source: PostgreSQL, "Array Input and Output Syntax".
 */
const textArray = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join()}}`

/** The distinct text_ids, ordered by their bytes, in groups. */
export function* groupsOf(textIds: readonly string[], size = keysAtOnce): Generator<string[]> {
  const ordered = [...new Set(textIds)]
    .map((textId) => ({ textId, bytes: Buffer.from(textId) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ textId }) => textId)
  for (let start = 0; start < ordered.length; start += size) {
    yield ordered.slice(start, start + size)
  }
}

/** Ordered by their bytes. */
export const selectTextIds = (db: Db, where: SQL | undefined) =>
  db
    .select({ textId: embeddings.textId })
    .from(embeddings)
    .where(where)
    .orderBy(asc(embeddings.textId))

/** Finds which of the text_ids exist. */
export async function findTextIds(
  db: Db,
  collectionId: number,
  textIds: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const group of groupsOf(textIds)) {
    const rows = await selectTextIds(db, and(inCollection(collectionId), isAmong(group)))
    for (const { textId } of rows) found.add(textId)
  }
  return found
}

/** The last of the next `rows` text_ids after `after`; undefined if there are fewer. */
export async function textIdAfter(db: Db, collectionId: number, after: string, rows: number) {
  const [last] = await selectTextIds(db, inRange(collectionId, { after }))
    .limit(1)
    .offset(rows - 1)
  return last?.textId
}

/** The last text_id of a collection; undefined if it is empty. */
export async function lastTextId(db: Db, collectionId: number): Promise<string | undefined> {
  const [last] = await db
    .select({ textId: embeddings.textId })
    .from(embeddings)
    .where(inCollection(collectionId))
    .orderBy(desc(embeddings.textId))
    .limit(1)
  return last?.textId
}

/** All text_ids of a collection, or those after `after`, in groups. */
export async function* readTextIds(
  db: Db,
  collectionId: number,
  after: string | undefined,
): AsyncGenerator<string[]> {
  for (let last = after; ; ) {
    const rows = await selectTextIds(db, inRange(collectionId, { after: last })).limit(maxGroupRows)
    yield rows.map(({ textId }) => textId)
    last = rows.at(-1)?.textId
    if (rows.length < maxGroupRows) return
  }
}

export const deleteRows = (db: Db, where: SQL | undefined) => db.delete(embeddings).where(where)

/**
 * Counts exactly, by looking at every embedding of the collection that may satisfy the condition.
 */
export const countEmbeddings = (db: Db, collectionId: number, condition: SQL): Promise<number> =>
  db.$count(embeddings, and(inCollection(collectionId), condition))

/** @returns undefined if there is no such embedding */
export async function dimensionsOf(db: Db, collectionId: number, textId: string) {
  const [found] = await db
    .select({ dimensions: embeddings.vectorDim })
    .from(embeddings)
    .where(isEmbedding(collectionId, textId))
  return found?.dimensions
}
