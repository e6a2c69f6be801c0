import { and, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'

/** How many embeddings are named to the database at once. */
const keysAtOnce = 1_000

export const inCollection = (collectionId: number): SQL => eq(embeddings.collectionId, collectionId)

/**
 * The embeddings of these text_ids: between the first and the last of them, so that it is a scan of the key
 * whatever the planner thinks of the list.
 * @param ordered in the order of their bytes
 */
export const isAmong = (ordered: readonly string[]): SQL | undefined =>
  and(
    gte(embeddings.textId, ordered[0] ?? ''),
    lte(embeddings.textId, ordered.at(-1) ?? ''),
    sql`${embeddings.textId} = any (${textArray(ordered)}::text[])`,
  )

/** One parameter, however many there are: the statement has one text. Source: PostgreSQL, "Array Input and Output Syntax". */
const textArray = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join()}}`

/** Each of the text_ids once, in the order of their bytes, some at a time. */
export function* groupsOf(textIds: readonly string[], size = keysAtOnce): Generator<string[]> {
  const ordered = [...new Set(textIds)]
    .map((textId) => ({ textId, bytes: Buffer.from(textId) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ textId }) => textId)
  for (let start = 0; start < ordered.length; start += size) {
    yield ordered.slice(start, start + size)
  }
}

/** Those of the text_ids that are there. */
export async function findTextIds(
  db: Db,
  collectionId: number,
  textIds: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const group of groupsOf(textIds)) {
    const rows = await db
      .select({ textId: embeddings.textId })
      .from(embeddings)
      .where(and(inCollection(collectionId), isAmong(group)))
    for (const { textId } of rows) found.add(textId)
  }
  return found
}
