import { asc, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { boundedRows, rowColumns, rowsOf } from '../../embeddings/bounded-rows.ts'
import type { Parts } from '../../embeddings/projection.ts'
import { projectedColumns } from '../../embeddings/projection.ts'

/** The stored parts of a result, as text; null if there is none or it was not asked for. */
export interface ResultParts {
  /** Index into the list of ids, from 0. */
  readonly place: number
  readonly text: string | null
  /** JSON text. */
  readonly metadata: string | null
  /** JSON text. */
  readonly vector: string | null
}

/** Ids whose rows did not fit are sent again, so a longer list would be looked up many times. */
const maxIds = 1_000

/**
 * Reads the stored parts of results in one statement, or in several if they are too large for one.
 * Embeddings deleted since the search are left out.
 * @param ids of embeddings; the same id may occur several times
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

/** @returns rows, each with the number of wanted embeddings that exist */
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
