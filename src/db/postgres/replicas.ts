import { drizzle } from 'drizzle-orm/pg-proxy'
import { PeriodicTask } from '../../concurrency/periodic-task.ts'
import type { Log } from '../../log.ts'
import type { LookedUpCollection, Pool } from '../database.ts'
import { isRead } from '../is-read.ts'
import type { History } from './history.ts'
import type { PostgresPool } from './pool.ts'
import { type Reading, type Replica, within } from './replica.ts'
import { reasonOf } from './replica-errors.ts'
import { asPrimary, primaryIdentity } from './replica-identity.ts'

/** So soon one is used again that can be read from. */
const everyMs = 1_000
/** A primary that is slow is when replicas are needed. */
const primaryPatienceMs = 5_000

/** Looks after the replicas of a primary, and says which one is next. */
export class Replicas {
  readonly #all: readonly Replica[]
  readonly #looks: PeriodicTask
  #turn = 0
  readonly #history: History
  /** Which history was that of the primary when it was last looked at. */
  #lookedAt: number | undefined

  /** @param primary where what is read is looked up; `history` is that of its connections */
  constructor(
    all: readonly Replica[],
    primary: PostgresPool,
    history: History,
    log: Log | undefined,
  ) {
    this.#all = all
    this.#history = history
    const look = async () => {
      const { number } = history
      const { rows } = await primary.read((session) =>
        within(primaryPatienceMs, session, () => session.run(primaryIdentity)),
      )
      const found = asPrimary(rows[0])
      for (const replica of all) replica.look(found)
      this.#lookedAt = number
    }
    const report = (error: unknown) =>
      log?.warn(`Replicas are not looked at: of the primary, ${reasonOf(error)}`)
    this.#looks = new PeriodicTask({ everyMs, soonMs: 0, retryMs: everyMs }, look, report)
    if (all.length > 0) this.#looks.start()
  }

  get states() {
    return this.#all.map(({ state }) => state)
  }

  get loads() {
    return this.#all.map(({ state, pool }) => [`replica ${state.address}`, pool.load] as const)
  }

  /** Replicas take turns, those that may be read from; undefined for the primary. */
  readingOf(collection: LookedUpCollection | undefined): Reading | undefined {
    // Of another history than the primary's a replica may have the same revisions.
    if (this.#history.number !== this.#lookedAt) return undefined
    const inUse = this.#all.filter((replica) => replica.isInUse)
    this.#turn += 1
    const replica = inUse[this.#turn % inUse.length]
    if (collection === undefined || replica === undefined) return undefined
    const { collectionId, revision, history, index } = collection
    return { collectionId, revision, history, searchIndex: index?.kind ?? null, replica }
  }

  async close(): Promise<void> {
    this.#looks.stop()
    await Promise.all(this.#all.map((replica) => replica.close()))
  }
}

/** What a replica cannot tell is read from the primary, and so is all that follows of the same operation. */
export async function fromReplica<T>(
  reading: Reading | undefined,
  read: (replica: Replica, reading: Reading) => Promise<T | undefined>,
): Promise<T | undefined> {
  const replica = reading?.replica
  if (reading === undefined || replica === undefined) return undefined
  const result = await read(replica, reading)
  if (result === undefined) reading.replica = undefined
  return result
}

/** A pool whose reads go to a replica where the operation at hand has one. */
export const withReplicas = (
  primary: PostgresPool,
  currentReading: () => Reading | undefined,
): Pool => ({
  db: drizzle(async (text, params, method) => {
    const statement = { text, params, method }
    const reading = isRead(text) ? currentReading() : undefined
    const found = await fromReplica(reading, (replica, reading) => replica.read(statement, reading))
    return found ?? primary.run(statement)
  }),
  together: (start) => start(),
  transaction: (work) => primary.transaction(work),
})
