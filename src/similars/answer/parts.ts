import { asc, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { boundedRows, rowColumns, rowsOf } from '../../embeddings/bounded-rows.ts'
import type { Parts } from '../../embeddings/include/parts.ts'
import { projectedColumns } from '../../embeddings/projection.ts'

/** What results show beside their ids, as text; null where there is none or it was not asked for. */
export interface ResultParts {
  /** Which of the ids it belongs to, from 0 on. */
  readonly place: number
  readonly text: string | null
  /** JSON text. */
  readonly metadata: string | null
  /** JSON text. */
  readonly vector: string | null
}

/** Those that did not fit are looked up again: more would be looked up very often. */
const maxIds = 1_000

/**
 * Reads what results show beside their ids: for all of them in one statement, or in some more where that
 * would be too much at once. What was deleted since the search is left out.
 * @param ids of embeddings, an id may be there several times
 */
export async function* readParts(
  db: Db,
  collectionId: number,
  ids: readonly string[],
  parts: Parts,
): AsyncGenerator<{ rows: readonly ResultParts[]; isLast: boolean }, undefined> {
  for (let begin = 0; ; ) {
    const wanted = ids.slice(begin, begin + maxIds)
    const found = await readSome(db, collectionId, wanted, parts)
    const last = found.at(-1)
    const hasAll = last === undefined || last.there <= found.length
    const next = begin + (hasAll ? wanted.length : last.place + 1)
    const isLast = next >= ids.length
    yield {
      rows: found.map(({ there: _, ...row }) => ({ ...row, place: begin + row.place })),
      isLast,
    }
    if (isLast) return
    begin = next
  }
}

/** @returns rows, each with how many of the wanted there are in all */
function readSome(db: Db, collectionId: number, ids: readonly string[], parts: Parts) {
  const showing = { parts, vectorFormat: 'json' } as const
  return db
    .select({
      place: sql`place - 1`.mapWith(Number),
      there: rowColumns.there,
      ...projectedColumns(showing),
    })
    .from(boundedRows(rowsOf(collectionId, ids), showing))
    .orderBy(asc(sql`place`))
}
