/** The options that the engine's thread starts with. */
export interface WorkerOptions {
  /** The folder of its files; undefined to keep everything in memory. */
  readonly dataDir: string | undefined
  readonly durability: Durability
}

/** Whether a commit is on the disk when it is acknowledged, or gets there some time later. */
export type Durability = 'full' | 'relaxed'

/** A statement, which is answered, or the order to close the database and end the thread. */
export type EngineRequest = EngineStatement | 'close'

export interface EngineStatement {
  readonly text: string
  readonly params: readonly unknown[]
  readonly rowMode: 'array' | 'object'
  /** What `COPY … FROM '/dev/blob'` reads; empty for `COPY … TO '/dev/blob'`. */
  readonly blob?: Uint8Array<ArrayBuffer> | undefined
}

export type EngineReply = EngineResult | { readonly failure: Failure }

/**
 * The thread is `synced` when the engine begins to start. At any time it may say that there is no
 * room for what the engine writes, or why it ends now.
 */
export type EngineNotice = 'synced' | 'no-room' | { readonly endedBy: string }

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
