import type { Requester } from '../../concurrency/limiter.ts'
import type { Log } from '../../log.ts'
import type { ReplicaState } from '../database.ts'
import { addressOf, type ConnectionOptions } from './connection-options.ts'
import { type PoolLimits, PostgresPool } from './pool.ts'
import { isOfReader, isOfServer, NoReplica, NotAsNew, reasonOf } from './replica-errors.ts'
import {
  fromTables,
  isSamePrimary,
  objectionTo,
  type PrimaryIdentity,
  replicaIdentity,
} from './replica-identity.ts'
import { Session, type SessionStatement, type StatementResult } from './session.ts'

/** Within this time a connection is open, and has told whether it may be read from. */
const patienceMs = 1_000

const notLookedAt = 'it was not looked at yet'

/** What is read of a collection: never what is older than the look-up by which it was allowed. */
export interface Reading {
  readonly collectionId: number
  readonly searchIndex: string | null
  readonly history: string
  /** Rises with what was seen, so that no later statement sees less. */
  revision: number
  /** Where its statements go; undefined for the primary, for good. */
  replica: Replica | undefined
}

const stateQuery = `
  select revision, search_index, pg_is_in_recovery(), pg_relation_filepath(tableoid)
  from collections where collection_id = $1`

/** One streaming replica: its connections, and whether it may be read from. */
export class Replica {
  readonly #target: ConnectionOptions
  readonly #limits: PoolLimits
  readonly #log: Log | undefined
  readonly pool: PostgresPool
  #primary: PrimaryIdentity | undefined
  #probe: Session | undefined
  #objection: string | undefined = notLookedAt
  #isClosed = false
  #isLooking = false
  #reads = 0
  #behind = 0
  #failed = 0

  constructor(
    target: ConnectionOptions,
    limits: PoolLimits,
    requester: () => Requester | undefined,
    log: Log | undefined,
  ) {
    this.#target = target
    // With the primary beside it nobody waits for a server that is slow to connect, or has no connection left.
    const swift = { connectMs: patienceMs, retryPausesMs: [] }
    // Each connection tells its server: behind one address there may be several.
    const check = (row: unknown) => {
      const objection = this.#objectionTo(row)
      if (objection !== undefined) throw new NoReplica(objection)
    }
    this.#limits = { ...limits, ...swift, admission: { query: replicaIdentity.text, check } }
    this.#log = log
    this.pool = new PostgresPool(target, this.#limits, requester)
  }

  get state(): ReplicaState {
    return {
      address: addressOf(this.#target),
      leftOut: this.#objection,
      ...{ reads: this.#reads, behind: this.#behind, failed: this.#failed },
    }
  }

  get isInUse(): boolean {
    return this.#objection === undefined
  }

  /** @returns undefined where the primary is to be asked instead: nothing has come of it here */
  read(statement: SessionStatement, reading: Reading): Promise<StatementResult | undefined> {
    const task = async (session: Session) => {
      await this.#confirm(session, reading)
      return session.run(statement)
    }
    return this.#attempt(() => this.pool.read(task))
  }

  /**
   * The same, for what takes a snapshot.
   * @param hasBegun whether something may have come of it
   */
  snapshot<T>(
    reading: Reading,
    take: () => Promise<T>,
    hasBegun: () => boolean,
  ): Promise<T | undefined> {
    return this.#attempt(async () => {
      await this.pool.read((session) => this.#confirm(session, reading))
      return take()
    }, hasBegun)
  }

  async #attempt<T>(work: () => Promise<T>, hasBegun = () => false): Promise<T | undefined> {
    try {
      const result = await work()
      this.#reads += 1
      return result
    } catch (error) {
      if (hasBegun() || isOfReader(error)) throw error
      if (error instanceof NotAsNew) this.#behind += 1
      else this.#failed += 1
      if (isOfServer(error)) this.#leaveOut(reasonOf(error))
      return undefined
    }
  }

  /**
   * For this statement and those that follow on this connection: what a replica shows only grows.
   * @throws NotAsNew when it does not show what was looked up
   */
  async #confirm(session: Session, reading: Reading): Promise<void> {
    // It may have been left out while this waited for a connection.
    if (!this.isInUse) throw new NotAsNew()
    return within(patienceMs, session, () => confirmOn(session, reading))
  }

  #objectionTo(row: unknown): string | undefined {
    if (this.#primary === undefined || !Array.isArray(row)) return notLookedAt
    return objectionTo(row, this.#primary)
  }

  /** Leaves it out at once where the primary is another one, and looks whether it may be read from. */
  look(primary: PrimaryIdentity): void {
    if (this.#isClosed) return
    const isSame = this.#primary === undefined || isSamePrimary(this.#primary, primary)
    if (!isSame) this.#leaveOut('the primary is another one')
    this.#primary = primary
    // A look that is under way goes by this primary as well.
    if (this.#isLooking) return
    this.#isLooking = true
    void this.#lookNow().finally(() => {
      this.#isLooking = false
    })
  }

  async #lookNow(): Promise<void> {
    if (this.#probe?.alive !== true) this.#probe = new Session(this.#target, this.#limits)
    const session = this.#probe
    const objection = await within(patienceMs, session, async () => {
      const { rows } = await session.run(replicaIdentity)
      const objection = this.#objectionTo(rows[0])
      if (objection === undefined) await session.run(fromTables)
      return objection
    }).catch(reasonOf)
    if (objection !== undefined) return this.#leaveOut(objection)
    if (this.isInUse) return
    this.#objection = undefined
    this.#log?.info(`The replica at ${addressOf(this.#target)} is in use`)
  }

  #leaveOut(objection: string): void {
    if (this.#isClosed) return
    if (this.isInUse || this.#objection === notLookedAt) {
      const where = `The replica at ${addressOf(this.#target)}`
      this.#log?.warn(`${where} is left out until it can be read from again: ${objection}`)
    }
    this.#objection = objection
    // What still waits for it is read from the primary.
    const reason = Object.assign(new Error('the replica was left out'), {
      code: 'CONNECTION_CLOSED',
    })
    this.pool.abandon(reason)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#probe?.close(), this.pool.close()])
  }
}

/** @throws after this time, and gives the connection up */
export async function within<T>(ms: number, session: Session, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    const late = new Error(`no answer within ${ms} ms`)
    session.discard(Object.assign(late, { code: 'ETIMEDOUT' }))
  }, ms)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

async function confirmOn(session: Session, reading: Reading): Promise<void> {
  const { collectionId, searchIndex, history } = reading
  const { rows } = await session.run({ text: stateQuery, params: [collectionId], method: 'all' })
  const [row] = rows
  if (!Array.isArray(row)) throw new NotAsNew()
  const [revision, index, isInRecovery, its] = row
  const isAsNew = isInRecovery === true && index === searchIndex && its === history
  if (!isAsNew || Number(revision) < reading.revision) throw new NotAsNew()
  reading.revision = Number(revision)
}
