import { and, asc, sql } from 'drizzle-orm'
import { inRange } from '../collections/keys.ts'
import { oneRow } from '../db/columns.ts'
import type { Snapshot } from '../db/database.ts'
import {
  boundedRows,
  elementBytes,
  ownBytes,
  rowColumns,
  rowsWhere,
} from '../embeddings/bounded-rows.ts'
import type { Parts } from '../embeddings/include/parts.ts'
import { projectedColumns } from '../embeddings/projection.ts'
import { filterCondition } from '../filters/condition.ts'
import type { Filter } from '../filters/filter.ts'

/** A row as the formats write it. */
export interface ExportedRow {
  readonly textId: string
  readonly text: string | null
  /** JSON text. */
  readonly metadata: string | null
  /** To the microsecond: 2026-11-21T20:25:06.123456Z. */
  readonly createdAt: string
  /** As `vectors` of the request says; null where none was asked for. */
  readonly vector: string | null
}

/** Which rows are read of a snapshot, and what of them. */
export interface RowsRequest {
  readonly collectionId: number
  readonly dimensions: number
  readonly filter: Filter | undefined
  readonly parts: Parts
  /** As JSON text, or as `sentVector` has it. */
  readonly vectors: 'json' | 'bytes'
}

/** So much is read at once, roughly: of vectors, texts and metadata together. */
const groupBytes = 2 * 2 ** 20
/** A filter looks at so many rows in one statement. */
const maxRows = 2_000

const vectorFormats = { json: 'json', bytes: 'base64' } as const

/**
 * The rows by text_id, in groups of bounded size, each read by a statement that meets a bounded number
 * of rows, also where a filter leaves out most of them. A group may be empty.
 */
export async function* readRows(
  snapshot: Snapshot,
  request: RowsRequest,
): AsyncGenerator<ExportedRow[]> {
  const { filter, parts, dimensions, vectors } = request
  const vectorBytes = parts.vector ? elementBytes[vectorFormats[vectors]] * dimensions : 0
  const fitting = Math.ceil(groupBytes / (vectorBytes + ownBytes))
  const step = filter === undefined ? Math.min(maxRows, fitting) : maxRows
  for (let after = ''; ; ) {
    const bound = await findBound(snapshot, after, step)
    for (;;) {
      const found = await readGroup(snapshot, request, after, bound)
      yield found.map(({ rest: _, ...row }) => row)
      const last = found.at(-1)
      if (last === undefined || last.rest === found.length) break
      after = last.textId
    }
    if (bound === undefined) return
    after = bound
  }
}

async function findBound({ db, bound }: Snapshot, after: string, rows: number) {
  const [found] = await db.select({ textId: bound(after, rows) }).from(oneRow)
  return found?.textId ?? undefined
}

/** @returns rows, each with how many there are in all of the range that is left */
export function readGroup(
  { db, embeddings: from }: Snapshot,
  { collectionId, filter, parts, vectors }: RowsRequest,
  after: string,
  bound?: string,
) {
  const where = and(
    inRange(collectionId, { after, upTo: bound }),
    filter && filterCondition(filter),
  )
  const showing = { parts, vectorFormat: vectorFormats[vectors] }
  return db
    .select({
      textId: rowColumns.textId,
      createdAt: sql<string>`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
      ...projectedColumns(showing),
      rest: rowColumns.there,
    })
    .from(boundedRows(rowsWhere(where, undefined, from), showing, groupBytes))
    .orderBy(asc(rowColumns.textId))
}
