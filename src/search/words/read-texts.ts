import { and, type SQL, sql } from 'drizzle-orm'
import { groupsOf, inCollection, inRange, isAmong } from '../../collections/keys.ts'
import type { Db } from '../../db/database.ts'
import { allVisible } from '../../db/distributed.ts'
import { boundedRows, rowColumns, rowsWhere } from '../../embeddings/bounded-rows.ts'
import type { StoredText } from './thread.ts'

/** What follows in a longer text is not indexed. */
const maxCharacters = 100_000
const rowsAtOnce = 1_000
/** So much text is indexed in some tenths of a second, in which the thread finds nothing. */
const bytesAtOnce = 2 ** 18

const onlyTexts = {
  parts: { text: true, metadata: false, vector: false },
  vectorFormat: 'json',
} as const

/** The first embeddings of those that `where` selects, as many as are read at once. */
const readSome = (db: Db, where: SQL | undefined): Promise<StoredText[]> =>
  db
    .select({
      textId: rowColumns.textId,
      text: sql<string | null>`left(text, ${sql.raw(`${maxCharacters}`)})`,
    })
    .from(boundedRows(rowsWhere(where, rowsAtOnce), onlyTexts, bytesAtOnce))
    .orderBy(sql`text_id`)

/** All texts, by text_id, in groups of bounded size. */
export async function* readAllTexts(db: Db, collectionId: number): AsyncGenerator<StoredText[]> {
  await allVisible(db, collectionId)
  for (let after = ''; ; ) {
    const rows = await readSome(db, inRange(collectionId, { after }))
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last.textId
  }
}

/** The present texts of embeddings that were changed; null for those that are gone. */
export async function* readChanged(
  db: Db,
  collectionId: number,
  textIds: readonly string[],
): AsyncGenerator<StoredText[]> {
  await allVisible(db, collectionId)
  for (const group of groupsOf(textIds, rowsAtOnce)) {
    for (let rest = group; rest.length > 0; ) {
      const rows = await readSome(db, and(inCollection(collectionId), isAmong(rest)))
      const last = rows.at(-1)
      const texts = new Map(rows.map(({ textId, text }) => [textId, text]))
      const end = last === undefined ? rest.length : rest.indexOf(last.textId) + 1
      yield rest.slice(0, end).map((textId) => ({ textId, text: texts.get(textId) ?? null }))
      rest = rest.slice(end)
    }
  }
}
