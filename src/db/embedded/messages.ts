/** The options that the engine's thread starts with. */
export interface WorkerOptions {
  /** The folder of its files; undefined to keep everything in memory. */
  readonly dataDir: string | undefined
  readonly durability: Durability
}

/** Whether a commit is on the disk when it is acknowledged, or gets there some time later. */
export type Durability = 'full' | 'relaxed'

/**
 * A statement with the id of its reply, or the request to close the database and end the thread.
 */
export type EngineRequest = { readonly id: number; readonly statement: EngineStatement } | 'close'

export interface EngineStatement {
  readonly text: string
  readonly params: readonly unknown[]
  readonly rowMode: 'array' | 'object'
  /** What `COPY … FROM '/dev/blob'` reads; empty for `COPY … TO '/dev/blob'`. */
  readonly blob?: Uint8Array<ArrayBuffer> | undefined
}

/**
 * `synced` comes first, when the engine begins to start, then `ready`, then one reply for each
 * statement, with its id. At any time the thread may say that there is no room for what the engine
 * writes, or why it ends now.
 */
export type EngineReply =
  | 'synced'
  | 'ready'
  | 'no-room'
  | { readonly endedBy: string }
  | ({ readonly id: number } & (EngineResult | { readonly failure: Failure }))

export interface EngineResult {
  readonly rows: unknown[]
  readonly affectedRows: number
  /** What `COPY … TO '/dev/blob'` has written. */
  readonly blob?: Uint8Array<ArrayBuffer> | undefined
}

/** An error of the engine. Without a SQLSTATE it is not one of PostgreSQL's. */
export interface Failure {
  readonly message: string
  readonly code: string | undefined
  /** ERROR, or FATAL or PANIC if the engine cannot go on. */
  readonly severity: string | undefined
  readonly constraint: string | undefined
  readonly detail: string | undefined
}
