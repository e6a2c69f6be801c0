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
import {
  type Projection,
  projectedColumns,
  type StoredRow,
  withProjectedVector,
} from '../embeddings/projection.ts'
import { filterCondition } from '../filters/condition.ts'
import type { Filter } from '../filters/filter.ts'

/** A row in the form that the file writers take. */
export interface ExportedRow extends Omit<StoredRow, 'createdAt' | 'vectorDim'> {
  /** To the microsecond, such as 2026-11-21T20:25:06.123456Z. */
  readonly createdAt: string
}

export type RowGroups = AsyncIterable<readonly ExportedRow[]>

/** Selects rows of a snapshot and their parts. */
export interface RowsRequest extends Projection {
  readonly collectionId: number
  readonly dimensions: number
  readonly filter: Filter | undefined
}

/** The approximate size of a group: vectors, texts and metadata together. */
const groupBytes = 2 * 2 ** 20
/** The number of rows that a filter examines in one statement. */
const maxRows = 2_000

/**
 * Yields the rows ordered by text_id, in groups of bounded size. Each statement visits a bounded
 * number of rows, even if a filter excludes most of them. A group may be empty.
 */
export async function* readRows(
  snapshot: Snapshot,
  request: RowsRequest,
): AsyncGenerator<ExportedRow[]> {
  const { filter, parts, dimensions, vectorFormat } = request
  const vectorBytes = parts.vector ? elementBytes[vectorFormat] * dimensions : 0
  const fitting = Math.ceil(groupBytes / (vectorBytes + ownBytes))
  const step = filter === undefined ? Math.min(maxRows, fitting) : maxRows
  for (let after = ''; ; ) {
    const bound = await findBound(snapshot, after, step)
    for (;;) {
      const group = await readGroup(snapshot, request, after, bound)
      yield group.map(({ rest: _, ...row }) => withProjectedVector(row, request))
      const last = group.at(-1)
      if (last === undefined || last.rest === group.length) break
      after = last.textId
    }
    if (bound === undefined) return
    after = bound
  }
}

async function findBound({ db, bound }: Snapshot, after: string, rows: number) {
  const [last] = await db.select({ textId: bound(after, rows) }).from(oneRow)
  return last?.textId ?? undefined
}

/** @returns rows, each with the number of rows in the remaining range */
export function readGroup(
  { db, embeddings: from }: Snapshot,
  { collectionId, filter, ...showing }: RowsRequest,
  after: string,
  bound?: string,
) {
  const where = and(
    inRange(collectionId, { after, upTo: bound }),
    filter && filterCondition(filter),
  )
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
