import { sql } from 'drizzle-orm'
import { PeriodicTask } from '../concurrency/periodic-task.ts'
import { oneRow } from '../db/columns.ts'
import type { Database, Db } from '../db/database.ts'
import { firstSoundVersion, isSound, pgvectorVersion } from '../db/pgvector.ts'
import type { Log } from '../log.ts'
import {
  buildIndex,
  dropIndex,
  formFor,
  type IndexForm,
  type IndexInCatalog,
  listIndexes,
  nameOf,
} from './catalog.ts'
import { countServing, measure, readCollections, serveBy, stopServingBy } from './collections.ts'
import { missing, nextStep, type Situation, type Step, waiting } from './plan.ts'
import { type CollectionSize, type IndexLimits, roomForIndexes } from './policy.ts'

/** Any constant will do: the processes that serve one database take turns. */
const maintenanceLock = 7_236_452
const times = { everyMs: 60_000, soonMs: 5_000, retryMs: 5_000 }
const retryAfterMs = 10 * 60_000

export interface IndexState extends IndexForm {
  readonly state: IndexInCatalog['state'] | 'missing'
  readonly bytes: number
}

/**
 * Gives large projects an index of their own and takes it away again. What should be and what is are read
 * from the database before each step, by whoever holds the lock: a process remembers nothing that another
 * would have to know.
 */
export class SearchIndexes {
  readonly #database: Database
  readonly #limits: IndexLimits
  readonly #log: Log
  readonly #task: PeriodicTask
  /** When to try again what did not work, by name. */
  readonly #postponed = new Map<string, number>()
  readonly #tally = { serving: 0, built: 0, failed: 0, dropped: 0 }
  readonly #warned = new Set<string>()
  #stopped = false

  constructor(database: Database, limits: IndexLimits, log: Log) {
    this.#database = database
    this.#limits = limits
    this.#log = log
    this.#task = new PeriodicTask(
      times,
      () => this.#lookAgainUnlessDone(),
      (error) => this.#report('looking after search indexes', error),
    )
  }

  /** How many indexes searches use, and what has become of others since the start. */
  get tally() {
    return { ...this.#tally }
  }

  /** To be told after embeddings or projects were added or removed. */
  wake(): void {
    this.#task.wake()
  }

  /** Looks after the indexes every few seconds when something has changed, until `stop`. */
  start(): void {
    this.#task.start()
  }

  /** A build that is under way goes on in the database, and is found valid at the next start. */
  stop(): void {
    this.#stopped = true
    this.#task.stop()
  }

  /** What indexes there are, and which are missing. */
  async states(): Promise<IndexState[]> {
    const situation = await this.#situation(this.#database.short.db, new Set())
    const there = situation.indexes.map(({ collectionId, kind, dimensions, state, bytes }) => {
      return { collectionId, kind, dimensions, state, bytes }
    })
    // One that is served by an index of an older form lacks none.
    const unserved = missing(situation).filter(({ serving }) => serving === null)
    const lacking = unserved.map((size) => {
      return { ...formFor(this.#database, size), state: 'missing' as const, bytes: 0 }
    })
    return [...there, ...lacking]
  }

  /**
   * Drops what is broken or no longer earned, and builds what is missing, on one connection, with which
   * the lock would be lost.
   * @returns false when another process is doing so
   */
  look(): Promise<boolean> {
    return this.#database.maintenance.session(async (db) => {
      const [lock] = await db
        .select({ taken: sql<boolean>`pg_try_advisory_lock(${maintenanceLock})` })
        .from(oneRow)
      if (lock?.taken !== true) {
        this.#tally.serving = await countServing(db)
        return false
      }
      try {
        await this.#reconcile(db)
      } finally {
        // Where the connection is lost there is no lock any more.
        await db.execute(sql`select pg_advisory_unlock(${maintenanceLock})`).catch(() => {})
      }
      return true
    })
  }

  async #lookAgainUnlessDone(): Promise<void> {
    if (!(await this.look())) this.wake()
  }

  async #reconcile(db: Db): Promise<void> {
    const measured = new Set<number>()
    for (;;) {
      const situation = await this.#situation(db, measured)
      this.#tally.serving = situation.collections.filter(({ serving }) => serving !== null).length
      const step = this.#stopped ? undefined : nextStep(situation)
      if (step === undefined) {
        if (waiting(situation).length > 0) this.wake()
        return
      }
      if (step.do === 'measure') measured.add(step.collectionId)
      await this.#take(db, step)
    }
  }

  async #situation(db: Db, measured: ReadonlySet<number>): Promise<Situation> {
    const limits = await this.#limitsNow(db)
    const indexes = await listIndexes(db)
    const indexed = indexes.map(({ collectionId }) => collectionId)
    return {
      indexes,
      collections: await readCollections(db, indexed, limits),
      limits,
      formFor: (size) => formFor(this.#database, size),
      isPostponed: (form) => (this.#postponed.get(nameOf(form)) ?? 0) > Date.now(),
      isMeasured: (collectionId) => measured.has(collectionId),
    }
  }

  /** Each time: the database may have come back with another version or other settings. */
  async #limitsNow(db: Db): Promise<IndexLimits> {
    const version = await pgvectorVersion(db)
    if (version === undefined || !isSound(version)) {
      this.#warnOnce(`no search indexes: pgvector must be ${firstSoundVersion} or newer for them`)
      return { ...this.#limits, maxIndexes: 0 }
    }
    const pools = Object.values(this.#database.load())
    const connections = pools.reduce((sum, { maxConcurrent }) => sum + maxConcurrent, 0)
    const room = roomForIndexes(await readLockSpace(db), connections)
    if (room >= this.#limits.maxIndexes) return this.#limits
    this.#warnOnce(
      `at most ${room} search indexes instead of ${this.#limits.maxIndexes}: each statement locks all of them; raise max_locks_per_transaction of PostgreSQL for more`,
    )
    return { ...this.#limits, maxIndexes: room }
  }

  #take(db: Db, step: Step): Promise<void> {
    switch (step.do) {
      case 'stop serving':
        return serveBy(db, step.collectionId, null)
      case 'serve':
        return serveBy(db, step.collectionId, step.kind)
      case 'measure':
        return measure(db, step.collectionId)
      case 'drop':
        return this.#drop(db, step.index, step.reason)
      case 'build':
        return this.#build(db, step.size)
    }
  }

  async #drop(db: Db, index: IndexInCatalog, reason: string): Promise<void> {
    this.#log.info(`dropping index ${index.name}: ${reason}`)
    await stopServingBy(db, index)
    await this.#attempt(index, `index ${index.name} could not be dropped`, async () => {
      await dropIndex(this.#database, db, index.name)
      this.#tally.dropped += 1
    })
  }

  async #build(db: Db, size: CollectionSize): Promise<void> {
    const { collectionId, vectors, dimensions } = size
    const start = performance.now()
    const form = formFor(this.#database, size)
    const failure = `the index of collection ${collectionId} could not be built`
    await this.#attempt(form, failure, async () => {
      await buildIndex(this.#database, db, size)
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      this.#log.info(
        `indexed collection ${collectionId} (${vectors} × ${dimensions}) in ${seconds} s`,
      )
      this.#tally.built += 1
    })
  }

  /** What fails is not tried again for a while. */
  async #attempt(form: IndexForm, failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#tally.failed += 1
      this.#postponed.set(nameOf(form), Date.now() + retryAfterMs)
      this.#report(failure, error)
    }
  }

  #warnOnce(warning: string): void {
    if (!this.#warned.has(warning)) this.#log.warn(warning)
    this.#warned.add(warning)
  }

  #report(what: string, error: unknown): void {
    // The database is closed under a look that is still running.
    if (!this.#stopped) this.#log.warn(what, { cause: error })
  }
}

async function readLockSpace(db: Db) {
  const setting = (name: string) => sql`current_setting(${name})`.mapWith(Number)
  const [row] = await db
    .select({
      locksPerTransaction: setting('max_locks_per_transaction'),
      maxConnections: setting('max_connections'),
    })
    .from(oneRow)
  return row ?? { locksPerTransaction: 0, maxConnections: 0 }
}
