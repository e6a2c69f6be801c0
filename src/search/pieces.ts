import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { isEmbedding, textIdAfter } from '../collections/keys.ts'
import type { Database, Db } from '../db/database.ts'
import { filterTakesTooLong, searchTakesTooLong, unlessTooSlow } from '../db/errors.ts'
import { withParameters } from '../db/pgvector.ts'
import { embeddings } from '../db/schema.ts'
import { cancelled } from '../errors.ts'
import { isFiltered, type Query } from './query.ts'

/**
 * The embedded engine does one thing at a time, so it looks through a project piece by piece. A
 * piece should take this long; others get their turn in between.
 */
const pieceMs = 100
const filtered = { firstRows: 8, mostGrowth: 8 }
const mostRows = 50_000
/** Without a filter, so many components are compared in less than `pieceMs`. */
const componentsAtOnce = 8_000_000
/** How long the engine may work on all pieces of a search, without its waits in between. */
const usualMostMs = { filtered: 30_000, unfiltered: 120_000 }

/**
 * The part of a project that a statement looks at: all of it, all but only for `pieceMs`, or the
 * text_ids after one or between two.
 */
export type Part = 'all' | 'all quickly' | 'after' | 'between'

const value = sql.placeholder

export const inPart = (part: Part) =>
  and(
    part === 'all quickly'
      ? withParameters({ 'semblance.filter_time': `${pieceMs} ms` })
      : undefined,
    part === 'after' || part === 'between' ? gt(embeddings.textId, value('after')) : undefined,
    part === 'between' ? lte(embeddings.textId, value('upTo')) : undefined,
  )

/** How long the statement has worked so far, without its wait for the engine. */
export const workMs =
  sql`1000 * extract(epoch from clock_timestamp() - statement_timestamp())`.mapWith(Number)

interface Worked {
  readonly milliseconds: number
}

/** Runs a statement on a part of a project; `bounds` are the values of its placeholders. */
type RunOn<Row> = (
  part: Part,
  bounds: { after?: string; upTo?: string | undefined },
) => Promise<Row[]>

/** A query, and how many vectors the project has for it to be compared with. */
export interface Scan {
  readonly query: Query
  readonly collection: { readonly vectors: number }
}

/** Looks through a project by one statement, or on the embedded engine piece by piece. */
export type InPieces = <Row extends Worked>(scan: Scan, run: RunOn<Row>) => AsyncIterable<Row>

/**
 * @param givenMostMs after so much work of the embedded engine a search is given up, with 503
 */
export function createInPieces(
  db: Db,
  { engine, requester }: Pick<Database, 'engine' | 'requester'>,
  givenMostMs?: number,
): InPieces {
  return async function* inPieces({ query, collection: { vectors } }, run) {
    const rowsAtOnce = Math.ceil(componentsAtOnce / query.dimensions)
    const hasFilter = isFiltered(query)
    if (engine === 'postgres' || (vectors <= rowsAtOnce && !hasFilter)) {
      yield* await run('all', {})
      return
    }
    let rows = hasFilter ? filtered.firstRows : rowsAtOnce
    if (vectors <= rowsAtOnce) {
      const found = await unlessTooSlow(run('all quickly', {}))
      if (found !== undefined) {
        yield* found
        return
      }
      rows = 1
    }
    const mostMs = givenMostMs ?? (hasFilter ? usualMostMs.filtered : usualMostMs.unfiltered)
    let spentMs = 0
    for (let after: string | undefined = ''; after !== undefined; ) {
      // The engine runs what it is given at once, also for a client that has left.
      if (requester()?.signal.aborted) throw cancelled()
      if (spentMs > mostMs) throw hasFilter ? filterTakesTooLong() : searchTakesTooLong()
      const start = performance.now()
      const upTo: string | undefined = await textIdAfter(db, query.collectionId, after, rows)
      const part = upTo === undefined ? 'after' : 'between'
      const found = await unlessTooSlow(run(part, { after, upTo }))
      if (found === undefined) {
        // The database would take as long for the whole project, and at once.
        if (rows === 1) throw filterTakesTooLong()
        // The metadata here are much larger than those before.
        rows = 1
        spentMs += performance.now() - start
        continue
      }
      yield* found
      const milliseconds = found[0]?.milliseconds ?? 0
      spentMs += milliseconds
      const growth = Math.min(pieceMs / Math.max(milliseconds, 1), filtered.mostGrowth)
      rows = Math.round(Math.min(Math.max(rows * growth, 1), mostRows))
      after = upTo
    }
  }
}

/**
 * The query for a part of a project. A stored vector is read before the first of several parts, so
 * that all of them are compared with the same, even if it is replaced or deleted meanwhile.
 * @returns a function that returns undefined if there is no such vector
 */
export function inAllParts(db: Db, query: Query) {
  let read: Promise<Query | undefined> | undefined
  return async (part: Part): Promise<Query | undefined> => {
    if (part === 'all' || part === 'all quickly') return query
    read ??= withVector(db, query)
    return read
  }
}

async function withVector(db: Db, query: Query): Promise<Query | undefined> {
  const { source, vector, collectionId, dimensions } = query
  if (!('textId' in source) || vector !== '') return query
  const [stored] = await db
    .select({ vector: sql<string>`${embeddings.vector}::text` })
    .from(embeddings)
    .where(and(isEmbedding(collectionId, source.textId), eq(embeddings.vectorDim, dimensions)))
  return stored && { ...query, ...stored }
}
