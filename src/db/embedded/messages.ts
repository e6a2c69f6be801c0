/** What the engine's thread is started with. */
export interface WorkerOptions {
  /** The folder of its files; undefined to keep everything in memory. */
  readonly dataDir: string | undefined
}

/** A statement, or the wish to close the database and end the thread. */
export type Request = Statement | 'close'

export interface Statement {
  readonly id: number
  readonly text: string
  readonly params: unknown[]
  readonly rowMode: 'array' | 'object'
  /** What `COPY … FROM '/dev/blob'` reads. */
  readonly blob: Uint8Array<ArrayBuffer> | undefined
}

/** Ready comes first; then one reply for each statement, with its id. */
export type Reply = 'ready' | ({ readonly id: number } & (Result | { readonly failure: Failure }))

export interface Result {
  readonly rows: unknown[]
  readonly affectedRows: number
  /** What `COPY … TO '/dev/blob'` has written. */
  readonly blob?: Uint8Array<ArrayBuffer>
}

/** An error of the engine; without a SQLSTATE it is not one of PostgreSQL's. */
export interface Failure {
  readonly message: string
  readonly code: string | undefined
  readonly constraint: string | undefined
  readonly detail: string | undefined
}
