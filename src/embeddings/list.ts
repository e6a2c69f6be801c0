import { and, asc, type SQL, sql } from 'drizzle-orm'
import type { ProjectWithCollection } from '../access/project.ts'
import { isInUse } from '../collections/collections.ts'
import {
  countEmbeddings,
  inCollection,
  inRange,
  isAmong,
  selectTextIds,
} from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { conflict } from '../errors.ts'
import { jsonList } from '../json/json-text.ts'
import { boundedRows, rowColumns, rowsWhere } from './bounded-rows.ts'
import {
  type Projection,
  presentEmbedding,
  projectedColumns,
  type StoredRow,
  showAll,
  withProjectedVector,
} from './projection.ts'

/** Which embeddings a page shows, in the order of their text_ids. */
export interface EmbeddingPage {
  readonly limit: number
  readonly offset: number
  /** The page begins after this text_id, which need not exist. */
  readonly after?: string | undefined
  /** A condition that the embeddings must satisfy. */
  readonly condition?: SQL | undefined
  /** Whether to find out if more embeddings follow the page. */
  readonly looksAhead?: boolean
}

interface PageGroup {
  readonly rows: StoredRow[]
  readonly isLast: boolean
  /** The last text_id of the page, if more follow it. The first group has it already. */
  readonly next: string | undefined
}

/**
 * Reads the first rows of a page. In a page of large texts, the others are read as the client takes
 * them.
 * @param page if it has a condition, all embeddings are looked at to count the `total_count` that
 *   satisfy it
 * @returns the list, and the text_id after which the next page begins, if there is one
 */
export async function listEmbeddings(
  db: Db,
  project: ProjectWithCollection,
  page: EmbeddingPage,
  showing: Projection,
) {
  const { collectionId, collection } = project
  const { limit, offset, after, condition } = page
  const total_count =
    condition === undefined
      ? collection.vectors
      : await countEmbeddings(db, collectionId, condition)
  let next: string | undefined
  async function* groups() {
    for await (const group of readPage(db, collectionId, { ...page, looksAhead: true }, showing)) {
      next ??= group.next
      const items = group.rows.map((row) => presentEmbedding(project, row, {}))
      yield { items, isLast: group.isLast }
    }
  }
  const fields = { total_count, limit, offset, ...(after !== undefined && { after }) }
  // The first group is read now, and says where the next page begins.
  const list = await jsonList('embeddings', groups(), fields)
  return { list, next }
}

const { textId, vectorDim, createdAt, there } = rowColumns

/**
 * Reads the rows of a page in groups of bounded size. Later groups do not include what is uploaded
 * in the meantime, so that `next` remains the end of the page.
 * @throws 409 if rows are missing because the project was emptied or deleted between two groups
 */
export async function* readPage(
  db: Db,
  collectionId: number,
  page: EmbeddingPage,
  showing = showAll,
): AsyncGenerator<PageGroup> {
  const { limit, condition, looksAhead = false } = page
  const where = and(inRange(collectionId, beginOf(db, collectionId, page)), condition)
  const { rows, rest, isMore } = await readGroup(db, where, limit, showing, looksAhead)
  const last = rows.at(-1)?.textId
  if (rest === 0) {
    yield { rows, isLast: true, next: isMore ? last : undefined }
    return
  }
  // One more than the page still needs.
  const behindFirst = and(inRange(collectionId, { after: last }), condition)
  const following = await selectTextIds(db, behindFirst).limit(rest + 1)
  const keys = following.slice(0, rest).map(({ textId }) => textId)
  yield { rows, isLast: keys.length === 0, next: following.length > rest ? keys.at(-1) : undefined }
  for await (const group of readByKeys(db, collectionId, keys, showing, condition)) {
    // The old collection is being deleted: a part of it must not pass for the whole.
    if (group.isMissing && !(await isInUse(db, collectionId))) {
      throw conflict('The project was emptied or deleted while the list was read; try again')
    }
    yield { rows: group.rows, isLast: group.isLast, next: undefined }
  }
}

/**
 * Reads the embeddings with these text_ids, in groups of bounded size.
 * @param ordered by their bytes
 */
export async function* readByKeys(
  db: Db,
  collectionId: number,
  ordered: readonly string[],
  showing: Projection,
  condition?: SQL,
) {
  for (let keys = ordered; keys.length > 0; ) {
    const where = and(inCollection(collectionId), isAmong(keys), condition)
    const { rows, rest } = await readGroup(db, where, keys.length, showing)
    yield { rows, isLast: rest === 0, isMissing: rows.length + rest < keys.length }
    if (rest === 0) return
    // By position, because the database orders text_ids by their bytes, and JavaScript does not.
    keys = keys.slice(keys.indexOf(rows.at(-1)?.textId ?? '') + 1)
  }
}

function beginOf(db: Db, collectionId: number, { offset, after, condition }: EmbeddingPage) {
  if (after !== undefined || offset === 0) return { after }
  // By the key alone: otherwise the vectors of skipped rows would be printed as well. Not by a
  // join, which becomes a nested loop if the statistics do not know a new collection.
  const skipped = selectTextIds(db, and(inCollection(collectionId), condition))
  return { from: sql`(${skipped.limit(1).offset(offset)})` }
}

/**
 * Reads the first of the wanted rows, as many as are read at once.
 * @param looksAhead whether to check for one more row after the wanted ones, without returning it
 */
async function readGroup(
  db: Db,
  where: SQL | undefined,
  wanted: number,
  showing: Projection,
  looksAhead = false,
) {
  const sized = await db
    .select({
      textId,
      vectorDim,
      createdAt,
      there,
      ...projectedColumns(showing),
    })
    .from(boundedRows(rowsWhere(where, looksAhead ? wanted + 1 : wanted), showing))
    .orderBy(asc(textId))
    .limit(wanted)
  const inAll = sized[0]?.there ?? 0
  const rows = sized.map(({ there: _, ...row }) => withProjectedVector(row, showing))
  return { rows, rest: Math.min(inAll, wanted) - rows.length, isMore: inAll > wanted }
}
