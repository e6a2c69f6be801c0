import { and, asc, eq, gt, gte, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { embeddings, projects } from '../db/schema.ts'
import { conflict } from '../errors.ts'
import { inCollection, isAmong } from './keys.ts'
import { type Showing, type StoredRow, showAll, shownColumns, vectorAsShown } from './shown.ts'

/** Which embeddings a page has, in the order of their text_ids. */
export interface EmbeddingPage {
  readonly limit: number
  readonly offset: number
  /** Begins behind this text_id, whether it is there or not. */
  readonly after?: string | undefined
  /** What they must satisfy. */
  readonly condition?: SQL | undefined
  /** Whether it is to be known what comes behind the page. */
  readonly looksAhead?: boolean
}

export interface PageGroup {
  readonly rows: StoredRow[]
  readonly isLast: boolean
  /** The last text_id of the page when there are more behind it; known with the first group. */
  readonly next: string | undefined
}

/** Texts may be as large as a body that was once allowed: so much of them is read at once. */
const groupBytes = 8 * 2 ** 20

/**
 * What a row amounts to as JSON text, roughly, by what is known without reading it: the printed length of
 * an element, and compressed metadata some times larger.
 */
function rowBytes({ parts, vectorFormat }: Showing): SQL {
  const elementBytes = sql.raw(vectorFormat === 'json' ? '13' : '6')
  return sql.join(
    [
      parts.vector ? sql`${elementBytes} * ${embeddings.vectorDim}` : sql`0`,
      ...(parts.text ? [sql`coalesce(octet_length(${embeddings.text}), 0)`] : []),
      ...(parts.metadata ? [sql`coalesce(8 * pg_column_size(${embeddings.metadata}), 0)`] : []),
    ],
    sql` + `,
  )
}

/**
 * The rows of a page, in groups that are bounded in size. What is uploaded while it is read is in none of the
 * groups behind the first, so that `next` stays the end of the page.
 * @throws when rows are missing since the project was emptied or deleted between two groups
 */
export async function* readPage(
  db: Db,
  collectionId: number,
  page: EmbeddingPage,
  showing = showAll,
): AsyncGenerator<PageGroup> {
  const { limit, condition, looksAhead = false } = page
  const where = and(beginOf(db, collectionId, page), condition)
  const first = await readGroup(db, collectionId, where, limit, looksAhead, showing)
  const { rows } = first
  if (first.rest === 0) {
    yield { rows, isLast: true, next: first.isMore ? rows.at(-1)?.textId : undefined }
    return
  }
  const others = await readKeys(db, collectionId, rows.at(-1)?.textId ?? '', condition, first.rest)
  yield { rows, isLast: others.keys.length === 0, next: others.isMore ? others.last : undefined }
  for await (const group of readByKeys(db, collectionId, others.keys, showing, condition)) {
    if (group.isMissing) await requireProject(db, collectionId)
    yield { rows: group.rows, isLast: group.isLast, next: undefined }
  }
}

/**
 * The embeddings of these text_ids, in groups that are bounded in size.
 * @param ordered in the order of their bytes
 */
export async function* readByKeys(
  db: Db,
  collectionId: number,
  ordered: readonly string[],
  showing: Showing,
  condition?: SQL,
) {
  for (let keys = ordered; keys.length > 0; ) {
    const where = and(isAmong(keys), condition)
    const { rows, rest } = await readGroup(db, collectionId, where, keys.length, false, showing)
    yield { rows, isLast: rest === 0, isMissing: rows.length + rest < keys.length }
    if (rest === 0) return
    // By where it was found: the database orders text_ids by their bytes, and JavaScript does not.
    keys = keys.slice(keys.indexOf(rows.at(-1)?.textId ?? '') + 1)
  }
}

/** What was left behind is being deleted: a part of it must not be taken for all there was. */
async function requireProject(db: Db, collectionId: number): Promise<void> {
  if ((await db.$count(projects, eq(projects.collectionId, collectionId))) > 0) return
  throw conflict('The project was emptied or deleted while the list was read; try again')
}

function beginOf(db: Db, collectionId: number, page: EmbeddingPage): SQL | undefined {
  const { offset, after, condition } = page
  if (after !== undefined) return gt(embeddings.textId, after)
  return offset === 0 ? undefined : fromOffset(db, collectionId, offset, condition)
}

/**
 * By the key alone: the vectors of rows that an offset skips would be printed as well. Not a join,
 * which statistics that do not know a new collection make a nested loop of.
 */
function fromOffset(db: Db, collectionId: number, offset: number, condition: SQL | undefined): SQL {
  const first = db
    .select({ textId: embeddings.textId })
    .from(embeddings)
    .where(and(inCollection(collectionId), condition))
    .orderBy(asc(embeddings.textId))
    .limit(1)
    .offset(offset)
  return gte(embeddings.textId, sql`(${first})`)
}

/** The keys of what of a page is not read yet. */
async function readKeys(
  db: Db,
  collectionId: number,
  after: string,
  condition: SQL | undefined,
  wanted: number,
) {
  const found = await db
    .select({ textId: embeddings.textId })
    .from(embeddings)
    .where(and(inCollection(collectionId), gt(embeddings.textId, after), condition))
    .orderBy(asc(embeddings.textId))
    .limit(wanted + 1)
  const keys = found.slice(0, wanted).map(({ textId }) => textId)
  return { keys, last: keys.at(-1), isMore: found.length > wanted }
}

/**
 * The first of the wanted rows, so many as are read at once.
 * @param looksAhead whether one more row is looked for behind the wanted ones
 */
async function readGroup(
  db: Db,
  collectionId: number,
  where: SQL | undefined,
  wanted: number,
  looksAhead: boolean,
  showing: Showing,
) {
  const found = await groupStatement(
    db,
    and(inCollection(collectionId), where),
    { wanted: looksAhead ? wanted + 1 : wanted, atMost: wanted },
    showing,
  )
  const there = found[0]?.there ?? 0
  const rows = found.map(({ there: _, ...row }) => vectorAsShown(row, showing))
  return { rows, rest: Math.min(there, wanted) - rows.length, isMore: there > wanted }
}

/** @returns at most so many rows, each with how many of the wanted there are in all */
function groupStatement(
  db: Db,
  where: SQL | undefined,
  { wanted, atMost }: { wanted: number; atMost: number },
  showing: Showing,
) {
  const wantedRows = db
    .select({
      textId: embeddings.textId,
      vector: embeddings.vector,
      vectorDim: embeddings.vectorDim,
      text: embeddings.text,
      metadata: embeddings.metadata,
      createdAt: embeddings.createdAt,
      bytes: rowBytes(showing).as('bytes'),
    })
    .from(embeddings)
    .where(where)
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
      there: sql`count(*) over ()`.mapWith(Number).as('there'),
      before:
        sql`sum(${wantedRows.bytes}) over (order by ${wantedRows.textId}) - ${wantedRows.bytes}`.as(
          'before',
        ),
    })
    .from(wantedRows)
    .as('sized')
  return (
    db
      .select({
        textId: sized.textId,
        vectorDim: sized.vectorDim,
        createdAt: sized.createdAt,
        there: sized.there,
        ...shownColumns(sized, showing),
      })
      .from(sized)
      .where(sql`${sized.before} < ${groupBytes}`)
      .orderBy(asc(sized.textId))
      // What is only looked ahead at is not printed.
      .limit(atMost)
  )
}
