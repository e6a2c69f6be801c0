import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/pg-proxy'
import type { LimiterLoad, Requester } from '../../concurrency/limiter.ts'
import { cancelled, unavailable } from '../../errors.ts'
import type { Db, MaintenancePool, Transaction } from '../database.ts'
import { errorCode, isConnectionLost, isRetryable } from '../errors.ts'
import { isRead } from '../is-read.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { PoolLimiter, type PoolLimiterOptions } from './pool-limiter.ts'
import type { SessionOptions } from './run-time-parameters.ts'
import { Session, type SessionStatement, type StatementResult } from './session.ts'

export type PoolLimits = SessionOptions & PoolLimiterOptions

const closeWithinMs = 5_000
/** How often statements are cancelled whose answers nobody waits for any more. */
const cancelEveryMs = 100
/**
 * Older connections are replaced: a server's memory for one grows, and an address may have moved.
 */
const maxAgeMs = 45 * 60_000
/**
 * Pauses before a server without a free connection is asked again, while it ends abandoned ones.
 */
const retryPausesMs = [20, 40, 80, 160, 320]
const tooManyConnections = '53300'
/** How often a transaction is tried that PostgreSQL asks to run again. */
const maxAttempts = 4

/** A connection in use. */
interface Checkout {
  readonly since: number
  readonly requester: Requester | undefined
}

/**
 * Whether a statement whose connection was found dead may be sent again.
 * @param unsent whether nothing of it was sent
 */
type Repeatable = (unsent: boolean) => boolean

/** A bounded number of connections, each for one task at a time. */
export class PostgresPool implements MaintenancePool {
  readonly db: Db
  readonly #target: ConnectionOptions
  readonly #limits: PoolLimits
  readonly #limiter: PoolLimiter
  readonly #requester: () => Requester | undefined
  /** The connection that was used last is at the end. */
  readonly #idle: Session[] = []
  readonly #inUse = new Map<Session, Checkout>()
  readonly #canceller: NodeJS.Timeout
  #closed = false

  /** @param requester returns for whom the current task is done */
  constructor(
    target: ConnectionOptions,
    limits: PoolLimits,
    requester: () => Requester | undefined = () => undefined,
  ) {
    this.#target = target
    this.#limits = limits
    this.#requester = requester
    this.#limiter = new PoolLimiter(limits)
    this.#canceller = setInterval(() => this.#cancelAbandoned(), cancelEveryMs)
    this.#canceller.unref()
    this.db = drizzle((text, params, method) => this.run({ text, params, method }))
  }

  /** Runs a query on its own. */
  run(statement: SessionStatement): Promise<StatementResult> {
    const requester = this.#requester()
    const send = () => this.#send(statement)
    return isRead(statement.text)
      ? this.#limiter.read(send, requester)
      : this.#limiter.lock(send, requester)
  }

  session<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#limiter.lock(
      () => this.#use(this.#takeIdle() ?? this.#open(), ({ db }) => work(db)),
      this.#requester(),
    )
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const attempt = () => {
      let begun = false
      return this.#onSession(
        async (session) => {
          await session.run({ text: 'begin', params: [], method: 'execute' })
          begun = true
          return completed(session, work)
        },
        () => !begun,
      )
    }
    return this.#limiter.lock(() => retried(attempt), this.#requester())
  }

  get load(): LimiterLoad {
    return this.#limiter.load
  }

  /** Lets running tasks finish for a few seconds. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#idle.map((session) => session.close()))
    const deadline = performance.now() + closeWithinMs
    while (this.#inUse.size > 0 && performance.now() < deadline) await sleep(20)
    for (const session of this.#inUse.keys()) session.discard(unavailable('The server is stopping'))
    clearInterval(this.#canceller)
  }

  #send(statement: SessionStatement): Promise<StatementResult> {
    return this.#onSession(
      (session) => session.run(statement),
      (unsent) => unsent || isRead(statement.text),
    )
  }

  /** Uses an idle connection, or a new one if that is dead and the task can be repeated. */
  async #onSession<T>(
    task: (session: Session) => Promise<T>,
    isRepeatable: Repeatable,
  ): Promise<T> {
    const idle = this.#takeIdle()
    if (idle !== undefined) {
      const sent = idle.bytesSent
      try {
        return await this.#use(idle, task)
      } catch (error) {
        if (!isConnectionLost(error) || !isRepeatable(idle.bytesSent === sent)) throw error
      }
    }
    return this.#onNew(task)
  }

  /** Retries if the server has no room: it refuses a connection before the task is sent. */
  async #onNew<T>(task: (session: Session) => Promise<T>): Promise<T> {
    for (const pauseMs of retryPausesMs) {
      try {
        return await this.#use(this.#open(), task)
      } catch (error) {
        if (errorCode(error) !== tooManyConnections) throw error
      }
      await sleep(pauseMs)
    }
    return this.#use(this.#open(), task)
  }

  async #use<T>(session: Session, task: (session: Session) => Promise<T>): Promise<T> {
    this.#inUse.set(session, { since: performance.now(), requester: this.#requester() })
    try {
      return await task(session)
    } finally {
      this.#release(session)
    }
  }

  /** Runs at intervals: a listener for each statement would cost as much as a short statement. */
  #cancelAbandoned(): void {
    const before = performance.now() - cancelEveryMs
    for (const [session, { since, requester }] of this.#inUse) {
      if (since < before && requester?.signal.aborted) session.cancel(cancelled())
    }
  }

  #takeIdle(): Session | undefined {
    for (;;) {
      const session = this.#idle.pop()
      if (session === undefined || session.alive) return session
    }
  }

  #open(): Session {
    return new Session(this.#target, this.#limits)
  }

  #release(session: Session): void {
    this.#inUse.delete(session)
    if (!session.alive) return
    if (this.#closed || session.isFull || session.ageMs > maxAgeMs) {
      session.close().catch(() => {})
    } else this.#idle.push(session)
  }
}

/** Runs `work` between `begin` and the end of the transaction. */
async function completed<T>(session: Session, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    const result = await work(session)
    await session.commit()
    return result
  } catch (error) {
    // A refusal by PostgreSQL, or a loss, has ended the connection, and the transaction with it.
    if (session.alive) await session.run({ text: 'rollback', params: [], method: 'execute' })
    throw error
  }
}

/** Runs an attempt again if PostgreSQL asks for it. */
async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = maxAttempts - 1; ; left -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !isRetryable(error)) throw error
      await sleep(10 + Math.random() * 40)
    }
  }
}
