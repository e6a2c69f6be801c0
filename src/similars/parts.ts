import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import type { Parts } from '../embeddings/include/parts.ts'

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

/** Texts may be as large as a body that was once allowed: so much of them is read at once. */
const groupBytes = 8 * 2 ** 20
/** Those that did not fit are looked up again: more would be looked up very often. */
const mostIds = 1_000

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
    const wanted = ids.slice(begin, begin + mostIds)
    const found = await readSome(db, collectionId, wanted, parts)
    const last = found.at(-1)
    const hasAll = last === undefined || last.rest <= found.length
    const next = begin + (hasAll ? wanted.length : last.place + 1)
    const isLast = next >= ids.length
    yield {
      rows: found.map(({ rest: _, ...row }) => ({ ...row, place: begin + row.place })),
      isLast,
    }
    if (isLast) return
    begin = next
  }
}

/** @returns rows, each with how many of the wanted there are in all */
function readSome(db: Db, collectionId: number, ids: readonly string[], parts: Parts) {
  const none = sql`null`
  const stored = db
    .select({
      text: sql`${parts.text ? embeddings.text : none}`.as('text'),
      metadata: sql`${parts.metadata ? embeddings.metadata : none}`.as('metadata'),
      vector: sql`${parts.vector ? embeddings.vector : none}`.as('vector'),
      bytes: sql`${parts.vector ? sql`13 * ${embeddings.vectorDim}` : sql`0`}
        + ${parts.text ? sql`coalesce(octet_length(${embeddings.text}), 0)` : sql`0`}
        + ${parts.metadata ? sql`coalesce(8 * pg_column_size(${embeddings.metadata}), 0)` : sql`0`}`.as(
        'bytes',
      ),
    })
    .from(embeddings)
    // By its key, each: the limit keeps PostgreSQL from reading the whole project and joining it.
    .where(and(eq(embeddings.collectionId, collectionId), sql`${embeddings.textId} = wanted.id`))
    .limit(1)
    .as('stored')
  const sized = db
    .select({
      place: sql<number>`wanted.place`.as('place'),
      text: stored.text,
      metadata: stored.metadata,
      vector: stored.vector,
      rest: sql`count(*) over ()`.mapWith(Number).as('rest'),
      before: sql`sum(${stored.bytes}) over (order by wanted.place) - ${stored.bytes}`.as('before'),
    })
    .from(
      sql`jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) with ordinality as wanted (id, place)`,
    )
    .innerJoinLateral(stored, sql`true`)
    .as('sized')
  return db
    .select({
      place: sql`${sized.place} - 1`.mapWith(Number),
      text: sql<string | null>`${sized.text}::text`,
      metadata: sql<string | null>`${sized.metadata}::text`,
      vector: sql<string | null>`${sized.vector}::text`,
      rest: sql`${sized.rest}`.mapWith(Number),
    })
    .from(sized)
    .where(sql`${sized.before} < ${groupBytes}`)
    .orderBy(asc(sized.place))
}
