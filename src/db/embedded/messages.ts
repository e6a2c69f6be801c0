import type { Change, Ranked, RankStatement, Wish } from '../proposer.ts'
import type { Kept, Unknown } from './memory/keeper.ts'

/** What the engine's thread is started with. */
export interface WorkerOptions {
  /** The folder of its files; undefined to keep everything in memory. */
  readonly dataDir: string | undefined
  /** Components (vectors × dimensions) of a collection above which not all vectors are compared. */
  readonly exactBudget: number
}

/** What is answered, what is only told, and the wish to close the database and end the thread. */
export type Request = (Question & { readonly id: number }) | { readonly tell: Told } | 'close'

export type Question =
  | { readonly statement: Statement }
  /** A COPY of (text_id, vector) to '/dev/blob', whose rows are taken into memory. */
  | { readonly copy: string; readonly collectionId: number }
  /** A ranking of what is proposed; see `Proposer`. */
  | {
      readonly rank: RankStatement
      readonly wish: Wish
      readonly kept: Kept
    }

/** About the vectors in memory; see `Keeper`. */
export type Told =
  | ({ readonly do: 'begin' } & Kept)
  | { readonly do: 'complete'; readonly collectionId: number }
  | { readonly do: 'drop'; readonly collectionId: number }
  | ({ readonly do: 'change' } & Change)

export interface Statement {
  readonly text: string
  readonly params: readonly unknown[]
  readonly rowMode: 'array' | 'object'
  /** What `COPY … FROM '/dev/blob'` reads. */
  readonly blob?: Uint8Array<ArrayBuffer> | undefined
}

/**
 * Ready comes first; then one reply for each statement, with its id. At any time that there is no room for what
 * the engine writes.
 */
export type Reply =
  | 'ready'
  | 'no-room'
  | ({ readonly id: number } & (Result | { readonly failure: Failure }))

export interface Result {
  readonly rows: unknown[]
  readonly affectedRows: number
  /** Of a copy: how many rows it was, the last of their text_ids, and what all of these take in memory. */
  readonly copied?: { readonly count: number; readonly last: string; readonly idBytes: number }
  /** Of a ranking: how complete it is, or why there is none. */
  readonly ranked?: Omit<Ranked, 'rows'> | Unknown
}

/** An error of the engine; without a SQLSTATE it is not one of PostgreSQL's. */
export interface Failure {
  readonly message: string
  readonly code: string | undefined
  /** ERROR, or FATAL or PANIC where the engine cannot go on. */
  readonly severity: string | undefined
  readonly constraint: string | undefined
  readonly detail: string | undefined
}
