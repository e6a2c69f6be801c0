import { once } from 'node:events'
import type { Socket } from 'node:net'
import { drizzle } from 'drizzle-orm/pg-proxy'
import type postgres from 'postgres'
import type { Db, Transaction } from '../database.ts'
import { openClient } from './connect.ts'
import { addressOf, type ConnectionOptions } from './connection-options.ts'
import { type SessionOptions, setParameters } from './run-time-parameters.ts'
import { cancelBackend, openSocket } from './socket.ts'

/**
 * The most statements that a connection keeps prepared. Their texts vary with indexes and filters.
 */
const maxPrepared = 500

export interface SessionStatement {
  readonly text: string
  readonly params: postgres.ParameterOrJSON<never>[]
  readonly method: 'all' | 'execute'
}

export interface StatementResult {
  readonly rows: unknown[]
}

/** How much longer than the statement an answer may take. */
const graceMs = 5_000

const closed = (target: ConnectionOptions, what: string, code: string) =>
  Object.assign(new Error(`the connection to ${addressOf(target)} ${what}`), { code })

/**
 * One connection to PostgreSQL, with a postgres.js client of its own. After any error both are
 * thrown away: postgres.js keeps what it counted of an unfinished answer, or had not sent yet, and
 * gives it to the next statement (its issues 1119, 1181, 1208).
 */
export class Session implements Transaction {
  /** For statements on this connection. */
  readonly db: Db
  readonly #target: ConnectionOptions
  readonly #options: SessionOptions
  readonly #client: postgres.Sql
  readonly #texts = new Set<string>()
  readonly #openedAt = performance.now()
  #backend: { readonly pid: number; readonly secret: number } | undefined
  readonly #givenUp = new AbortController()
  #socket: Socket | undefined
  /** The current statement, or the last one. The next one is sent when it has ended. */
  #last: Promise<unknown>
  #busy = false
  /** How many statements have not ended. */
  #pending = 1
  #committing = false
  #lost: Error | undefined

  constructor(target: ConnectionOptions, options: SessionOptions) {
    this.#target = target
    this.#options = options
    this.#client = openClient(target, () => this.#connect())
    this.db = drizzle((text, params, method) => this.run({ text, params, method }))
    this.#last = this.#timed(() => this.#setUp())
    this.#last.catch(() => {})
  }

  /** False once the connection is lost; every further statement fails. */
  get alive(): boolean {
    return this.#lost === undefined
  }

  get ageMs(): number {
    return performance.now() - this.#openedAt
  }

  /** Whether it keeps so many statements prepared that a new connection is better. */
  get isFull(): boolean {
    return this.#texts.size > maxPrepared
  }

  /** Bytes handed to the network. If there are no more than before, a statement was not sent. */
  get bytesSent(): number {
    return this.#socket?.bytesWritten ?? 0
  }

  /** Runs one statement after another, even if they are given at once. */
  run(statement: SessionStatement): Promise<StatementResult> {
    return this.#next(() => this.#send(statement))
  }

  // These two are bound, because users of a transaction take them out of it.
  readonly copyIn: Transaction['copyIn'] = (target, rows) =>
    this.#next(async () => {
      const query = this.#client.unsafe(`copy ${target} from stdin (format binary)`)
      const stream = await query.writable()
      // A refusal after the last byte reaches only the query, which has resolved to the stream by
      // then, and the stream would wait forever (postgres.js issue 1173).
      const refused = new Promise<never>((_, reject) => Object.assign(query, { reject }))
      // This listener is needed even later: an error without a listener ends the process.
      stream.on('error', () => {})
      stream.end(rows)
      await Promise.race([refused, once(stream, 'finish')])
    })

  readonly copyOut: Transaction['copyOut'] = (query) =>
    this.#next(async () => {
      const text = `copy (${query}) to stdout (format binary)`
      const parts: Uint8Array[] = []
      for await (const part of await this.#client.unsafe(text).readable()) parts.push(part)
      // postgres.js pauses the socket for slow readers, and may leave it paused at the end.
      this.#socket?.resume()
      return Buffer.concat(parts)
    })

  /** From here on nothing is cancelled when a client leaves, so that the outcome is known. */
  async commit(): Promise<void> {
    this.#committing = true
    try {
      await this.run({ text: 'commit', params: [], method: 'execute' })
    } finally {
      this.#committing = false
    }
  }

  /** Gives up the connection, and has PostgreSQL end what it is doing for it. */
  cancel(reason: Error): void {
    if (this.#committing) return
    if (this.#busy && this.#backend !== undefined) cancelBackend(this.#target, this.#backend)
    this.discard(reason)
  }

  /** Ends the connection at once. Whatever waits for an answer fails with `reason`. */
  discard(reason: Error): void {
    this.#lost ??= reason
    this.#givenUp.abort()
    this.#socket?.destroy()
    this.#client.end({ timeout: 0 }).catch(() => {})
  }

  /** Ends the connection in order. */
  async close(): Promise<void> {
    this.#lost ??= closed(this.#target, 'was ended', 'CONNECTION_ENDED')
    await this.#client.end({ timeout: 5 })
  }

  async #send({ text, params, method }: SessionStatement): Promise<StatementResult> {
    // postgres.js names it, and the connection keeps it: the next time there is nothing to parse.
    const prepare = params.length > 0
    if (prepare) this.#texts.add(text)
    const query = this.#client.unsafe(text, params, { prepare })
    return { rows: method === 'all' ? await query.values() : await query }
  }

  #next<T>(statement: () => Promise<T>): Promise<T> {
    const result =
      this.#pending > 0 ? this.#last.then(() => this.#timed(statement)) : this.#timed(statement)
    this.#pending += 1
    this.#last = result
    return result
  }

  async #timed<T>(statement: () => Promise<T>): Promise<T> {
    if (this.#lost !== undefined) throw this.#lost
    this.#busy = true
    try {
      return await statement()
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error))
      this.discard(reason)
      // How the connection was lost says more than what became of the statement.
      throw this.#lost ?? reason
    } finally {
      this.#busy = false
      this.#pending -= 1
    }
  }

  async #setUp(): Promise<void> {
    const [first, second] = setParameters(this.#options)
    const { state } = await this.#client.unsafe(first)
    this.#backend = state
    const [row] = await this.#client.unsafe(second)
    this.#options.noteStart?.(`${row?.['start']}`)
  }

  async #connect(): Promise<Socket> {
    // postgres.js would connect again if the connection was lost before its first answer.
    if (this.#socket !== undefined || this.#lost !== undefined) {
      throw this.#lost ?? closed(this.#target, 'was closed', 'CONNECTION_CLOSED')
    }
    const socket = await openSocket(this.#target, this.#givenUp.signal)
    this.#socket = socket
    if (this.#lost !== undefined) socket.destroy()
    const lose = (error: Error) => {
      this.#lost ??= error
    }
    socket.on('error', lose)
    for (const event of ['end', 'close']) {
      socket.on(event, () => lose(closed(this.#target, 'was closed', 'CONNECTION_CLOSED')))
    }
    const { statementMs } = this.#options
    // The time counts from the last data in either direction: if the machine is gone, the kernel
    // goes on sending for a quarter of an hour.
    if (statementMs > 0) socket.setTimeout(statementMs + graceMs)
    socket.on('timeout', () => {
      if (this.#busy) this.discard(closed(this.#target, 'is silent', 'ETIMEDOUT'))
    })
    return socket
  }
}
