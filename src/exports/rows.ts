import { and, asc, eq, gt, lte, type SQL, sql } from 'drizzle-orm'
import { oneRow } from '../db/columns.ts'
import type { Snapshot } from '../db/database.ts'
import { sentVector } from '../db/pgvector.ts'
import { embeddings } from '../db/schema.ts'
import type { Parts } from '../embeddings/include/parts.ts'
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
  /** As `vectors` of the wish says; null where none was wished for. */
  readonly vector: string | null
}

/** Which rows are read of a snapshot, and what of them. */
export interface Wish {
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
const mostRows = 2_000

const bytesOfElement = { json: 13, bytes: 6 }

const printed = {
  json: sql<string>`vector::text`,
  bytes: sentVector(sql`vector`),
}

/**
 * The rows by text_id, in groups of bounded size, each read by a statement that meets a bounded number
 * of rows, also where a filter leaves out most of them. A group may be empty.
 */
export async function* readRows(snapshot: Snapshot, wish: Wish): AsyncGenerator<ExportedRow[]> {
  const { filter, parts, dimensions, vectors } = wish
  const vectorBytes = parts.vector ? bytesOfElement[vectors] * dimensions : 0
  const fitting = Math.ceil(groupBytes / (vectorBytes + 200))
  const step = filter === undefined ? Math.min(mostRows, fitting) : mostRows
  for (let after = ''; ; ) {
    const bound = await findBound(snapshot, after, step)
    for (;;) {
      const found = await readGroup(snapshot, wish, after, bound)
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
  wish: Wish,
  after: string,
  bound?: string,
) {
  const wanted = wantedRows(wish, after, bound, from)
  const sized = sql`(select *, count(*) over () as rest, sum(bytes) over (order by text_id) - bytes as before
    from ${wanted}) as sized`
  const { parts, vectors } = wish
  return db
    .select({
      textId: sql<string>`text_id`,
      text: sql<string | null>`${parts.text ? sql`text` : sql`null`}`,
      metadata: sql<string | null>`${parts.metadata ? sql`metadata::text` : sql`null`}`,
      createdAt: sql<string>`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
      vector: sql<string | null>`${parts.vector ? printed[vectors] : sql`null`}`,
      rest: sql`rest`.mapWith(Number),
    })
    .from(sized)
    .where(sql`before < ${groupBytes}`)
    .orderBy(asc(sql`text_id`))
}

function wantedRows(
  { collectionId, filter, parts, vectors }: Wish,
  after: string,
  bound: string | undefined,
  from: SQL,
): SQL {
  const { textId, text, metadata, vector, vectorDim, createdAt } = embeddings
  const none = sql`null`
  // By what is known without reading it, as in src/embeddings/page.ts.
  const bytes = sql`200 + ${parts.vector ? sql`${bytesOfElement[vectors]} * ${vectorDim}` : 0}
    + ${parts.text ? sql`coalesce(octet_length(${text}), 0)` : 0}
    + ${parts.metadata ? sql`coalesce(8 * pg_column_size(${metadata}), 0)` : 0}`
  const condition = and(
    eq(embeddings.collectionId, collectionId),
    gt(textId, after),
    bound === undefined ? undefined : lte(textId, bound),
    filter && filterCondition(filter),
  )
  return sql`(select ${textId}, ${parts.text ? text : none} as text,
    ${parts.metadata ? metadata : none} as metadata, ${parts.vector ? vector : none} as vector,
    ${createdAt}, ${bytes} as bytes
    from ${from} where ${condition}) as wanted`
}
