import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { cancelled, type LimiterLoad, type Requester } from '../../concurrency/limiter.ts'
import { unavailable } from '../../errors.ts'
import type { Db, MaintenancePool, Transaction } from '../database.ts'
import { errorCode, isConnectionLost, isRetryable } from '../errors.ts'
import { PoolLimiter, type PoolLimiterOptions } from './pool-limiter.ts'
import { Session, type SessionSettings } from './session.ts'
import type { PostgresSettings } from './settings.ts'

export type PoolLimits = SessionSettings & PoolLimiterOptions

const maxAttempts = 4
const closeWithinMs = 5_000
/** How often it is looked for connections on which nobody waits for the answer any more. */
const lookEveryMs = 100
/** Connections are replaced now and then: a server's memory for one grows, and an address may have moved. */
const maxAgeMs = 45 * 60_000
/** How long to wait, one after the other, for a server that is still ending connections that were given up. */
const roomPausesMs = [20, 40, 80, 160, 320]
const tooManyConnections = '53300'

interface Loan {
  readonly since: number
  readonly requester: Requester | undefined
}

/** Whether a statement may be sent again whose connection was found dead. @param unsent nothing of it was sent */
type Repeatable = (unsent: boolean) => boolean

const isRead = (text: string) => /^\s*select\b/i.test(text)

/** A bounded number of connections, each for one task at a time. */
export class Pool implements MaintenancePool {
  readonly db: Db
  readonly #place: PostgresSettings
  readonly #limits: PoolLimits
  readonly #limiter: PoolLimiter
  readonly #requester: () => Requester | undefined
  /** Those that were used last at the end. */
  readonly #idle: Session[] = []
  readonly #lent = new Map<Session, Loan>()
  readonly #looking: NodeJS.Timeout
  #closed = false

  /** @param requester for whom the task at hand is done */
  constructor(
    place: PostgresSettings,
    limits: PoolLimits,
    requester: () => Requester | undefined = () => undefined,
  ) {
    this.#place = place
    this.#limits = limits
    this.#requester = requester
    this.#limiter = new PoolLimiter(limits)
    this.#looking = setInterval(() => this.#cancelAbandoned(), lookEveryMs)
    this.#looking.unref()
    this.db = drizzle((text, params, method) => {
      const run = () =>
        this.#onSession(
          (session) => session.run(text, params, method),
          (unsent) => unsent || isRead(text),
        )
      return isRead(text)
        ? this.#limiter.read(run, requester())
        : this.#limiter.lock(run, requester())
    })
  }

  session<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#limiter.lock(
      () => this.#lend(this.#take() ?? this.#open(), (one) => work(dbOn(one))),
      this.#requester(),
    )
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const attempt = () => {
      let begun = false
      return this.#onSession(
        async (session) => {
          await session.run('begin', [], 'execute')
          begun = true
          return inTransaction(session, work)
        },
        () => !begun,
      )
    }
    return this.#limiter.lock(() => withRetries(attempt), this.#requester())
  }

  get load(): LimiterLoad {
    return this.#limiter.load
  }

  /** Lets what runs finish for a few seconds. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#idle.map((session) => session.close()))
    const deadline = performance.now() + closeWithinMs
    while (this.#lent.size > 0 && performance.now() < deadline) await sleep(20)
    for (const session of this.#lent.keys()) session.discard(unavailable('The server is stopping'))
    clearInterval(this.#looking)
  }

  /** On a connection that is there; on a new one when that turns out to be dead before anything came of it. */
  async #onSession<T>(
    task: (session: Session) => Promise<T>,
    isRepeatable: Repeatable,
  ): Promise<T> {
    const idle = this.#take()
    if (idle !== undefined) {
      const sent = idle.bytesSent
      try {
        return await this.#lend(idle, task)
      } catch (error) {
        if (!isConnectionLost(error) || !isRepeatable(idle.bytesSent === sent)) throw error
      }
    }
    return this.#onNew(task)
  }

  /** A server without room has refused the connection, before anything of the task was sent. */
  async #onNew<T>(task: (session: Session) => Promise<T>): Promise<T> {
    for (const pauseMs of roomPausesMs) {
      try {
        return await this.#lend(this.#open(), task)
      } catch (error) {
        if (errorCode(error) !== tooManyConnections) throw error
      }
      await sleep(pauseMs)
    }
    return this.#lend(this.#open(), task)
  }

  async #lend<T>(session: Session, task: (session: Session) => Promise<T>): Promise<T> {
    this.#lent.set(session, { since: performance.now(), requester: this.#requester() })
    try {
      return await task(session)
    } finally {
      this.#giveBack(session)
    }
  }

  /** Looked at now and then, since a listener for each would cost as much as a short statement. */
  #cancelAbandoned(): void {
    const before = performance.now() - lookEveryMs
    for (const [session, { since, requester }] of this.#lent) {
      if (since < before && requester?.signal.aborted) session.cancel(cancelled())
    }
  }

  #take(): Session | undefined {
    for (;;) {
      const session = this.#idle.pop()
      if (session === undefined || session.alive) return session
    }
  }

  #open(): Session {
    return new Session(this.#place, this.#limits)
  }

  #giveBack(session: Session): void {
    this.#lent.delete(session)
    if (!session.alive) return
    if (this.#closed || session.isWorn || session.ageMs > maxAgeMs) {
      session.close().catch(() => {})
    } else this.#idle.push(session)
  }
}

const dbOn = (session: Session): Db =>
  drizzle((text, params, method) => session.run(text, params, method))

async function inTransaction<T>(
  session: Session,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const copyIn: Transaction['copyIn'] = (target, rows) => session.copyIn(target, rows)
  try {
    const result = await work({ db: dbOn(session), copyIn })
    await session.commit()
    return result
  } catch (error) {
    // What PostgreSQL refused, or lost, has ended the connection, and the transaction with it.
    if (session.alive) await session.run('rollback', [], 'execute')
    throw error
  }
}

async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = maxAttempts - 1; ; left -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !isRetryable(error)) throw error
      await sleep(10 + Math.random() * 40)
    }
  }
}
