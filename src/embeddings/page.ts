import { and, asc, eq, gt, gte, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { embeddings, projects } from '../db/schema.ts'
import { conflict } from '../errors.ts'

/** Vectors and metadata as JSON text, which goes into answers without being parsed and printed again. */
export interface StoredRow {
  readonly textId: string
  readonly vector: string
  readonly vectorDim: number
  readonly text: string | null
  readonly metadata: string | null
  readonly createdAt: Date
}

/** Texts may be as large as a body that was once allowed: so much of them is read at once. */
const groupBytes = 8 * 2 ** 20

/**
 * What a row amounts to as JSON text, roughly, by what is known without reading it: the printed length of
 * an element, and compressed metadata some times larger.
 */
const rowBytes = sql`13 * ${embeddings.vectorDim} + coalesce(octet_length(${embeddings.text}), 0)
  + coalesce(8 * pg_column_size(${embeddings.metadata}), 0)`

const inCollection = (collectionId: number) => eq(embeddings.collectionId, collectionId)

/**
 * The rows of a page, in groups that are bounded in size.
 * @throws when rows are missing since the project was emptied or deleted between two groups
 */
export async function* readPage(
  db: Db,
  collectionId: number,
  page: Page,
): AsyncGenerator<{ rows: StoredRow[]; isLast: boolean }> {
  let begin = page.offset === 0 ? undefined : fromOffset(db, collectionId, page.offset)
  let expected = 0
  for (let wanted = page.limit; ; ) {
    const found = await readGroup(db, collectionId, begin, wanted)
    const rows = found.map(({ rest: _, ...row }) => row)
    const there = found[0]?.rest ?? 0
    if (there < expected) await requireProject(db, collectionId)
    expected = there - rows.length
    wanted = expected
    yield { rows, isLast: wanted === 0 }
    if (wanted === 0) return
    begin = gt(embeddings.textId, rows.at(-1)?.textId ?? '')
  }
}

/** What was left behind is being deleted: a part of it must not be taken for all there was. */
async function requireProject(db: Db, collectionId: number): Promise<void> {
  if ((await db.$count(projects, eq(projects.collectionId, collectionId))) > 0) return
  throw conflict('The project was emptied or deleted while the list was read; try again')
}

/**
 * By the key alone: the vectors of rows that an offset skips would be printed as well. Not a join,
 * which statistics that do not know a new collection make a nested loop of.
 */
function fromOffset(db: Db, collectionId: number, offset: number): SQL {
  const first = db
    .select({ textId: embeddings.textId })
    .from(embeddings)
    .where(inCollection(collectionId))
    .orderBy(asc(embeddings.textId))
    .limit(1)
    .offset(offset)
  return gte(embeddings.textId, sql`(${first})`)
}

/** @returns rows, each with how many of the wanted there are in all */
function readGroup(db: Db, collectionId: number, begin: SQL | undefined, wanted: number) {
  const wantedRows = db
    .select({
      textId: embeddings.textId,
      vector: embeddings.vector,
      vectorDim: embeddings.vectorDim,
      text: embeddings.text,
      metadata: embeddings.metadata,
      createdAt: embeddings.createdAt,
      bytes: rowBytes.as('bytes'),
    })
    .from(embeddings)
    .where(and(inCollection(collectionId), begin))
    .orderBy(asc(embeddings.textId))
    .limit(wanted)
    .as('wanted')
  const sized = db
    .select({
      textId: wantedRows.textId,
      vector: wantedRows.vector,
      vectorDim: wantedRows.vectorDim,
      text: wantedRows.text,
      metadata: wantedRows.metadata,
      createdAt: wantedRows.createdAt,
      rest: sql`count(*) over ()`.mapWith(Number).as('rest'),
      before:
        sql`sum(${wantedRows.bytes}) over (order by ${wantedRows.textId}) - ${wantedRows.bytes}`.as(
          'before',
        ),
    })
    .from(wantedRows)
    .as('sized')
  return db
    .select({
      textId: sized.textId,
      vector: sql<string>`${sized.vector}::text`,
      vectorDim: sized.vectorDim,
      text: sized.text,
      metadata: sql<string | null>`${sized.metadata}::text`,
      createdAt: sized.createdAt,
      rest: sized.rest,
    })
    .from(sized)
    .where(sql`${sized.before} < ${groupBytes}`)
    .orderBy(asc(sized.textId))
}
