import { sql } from 'drizzle-orm'
import { PeriodicTask } from '../../concurrency/periodic-task.ts'
import { oneRow } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import { errorCode } from '../../db/errors.ts'
import { type IndexForm, indexName } from '../../db/index-name.ts'
import type { Log } from '../../log.ts'
import { buildIndex, dropIndex } from './catalog.ts'
import {
  type FoundState,
  type IndexLimits,
  type IndexStep,
  missingIndexes,
  nextStep,
  pendingBuilds,
} from './plan.ts'
import { createStateReader, measure, serveBy } from './state.ts'

/** An arbitrary number. Of the processes that serve one database, one at a time holds this lock. */
const reconcileLock = 7_236_452
const times = { everyMs: 60_000, soonMs: 2_000, retryMs: 5_000 }
/** How soon to look again while a project lacks its index, or while another process reconciles. */
const pendingMs = 5_000
const retryAfterMs = 10 * 60_000
/** For how long a single process builds each index, after several lacked shared resources. */
const serialMs = 60 * 60_000

/**
 * Error class 53, insufficient resources: for example shared memory, of which a container has 64 MB
 * by default.
 */
const lacksResources = (error: unknown) => /^53/.test(errorCode(error) ?? '')

/**
 * Gives large projects indexes of their own, and drops them again. Whoever holds the lock reads the
 * desired and the actual state from the database before each step, so that no process has to
 * remember anything that another would need. A build that is under way at a stop goes on in the
 * database, and is found valid at the next start.
 */
export class SearchIndexes extends PeriodicTask {
  readonly #database: Database
  readonly #log: Log
  readonly #readState: ReturnType<typeof createStateReader>
  readonly #changes = { built: 0, failed: 0, dropped: 0 }
  /** Until when an index is left alone, by its name. */
  readonly #postponed = new Map<string, number>()
  #serialUntil = 0
  #serving = 0

  constructor(database: Database, limits: IndexLimits, log: Log) {
    super(times)
    this.#database = database
    this.#log = log
    this.#readState = createStateReader(database, limits, log)
  }

  protected override async work(): Promise<void> {
    if (!(await this.reconcile())) this.wake(pendingMs)
  }

  protected override failed(error: unknown): void {
    this.#warn('looking after search indexes', error)
  }

  /**
   * How many indexes searches use, and how many were built, dropped or have failed since the start.
   */
  get tally() {
    return { serving: this.#serving, ...this.#changes }
  }

  /** Counts the indexes again, since another process may have changed them. */
  async look(): Promise<void> {
    this.#count(await this.#readState(this.#database.short.db))
  }

  /** The collections whose search index is missing or broken. */
  async faults(): Promise<ReadonlyMap<number, 'missing' | 'broken'>> {
    const state = await this.#readState(this.#database.short.db)
    const of = (indexes: readonly IndexForm[], fault: 'missing' | 'broken') =>
      indexes.flatMap(({ kind, collectionId }) =>
        kind === 'metadata' ? [] : [[collectionId, fault] as const],
      )
    const broken = state.indexes.filter((index) => index.state === 'broken')
    return new Map([...of(missingIndexes(state), 'missing'), ...of(broken, 'broken')])
  }

  /**
   * Drops indexes that are broken or useless, and builds missing ones. Everything runs on one
   * connection: if it is lost, so is the lock.
   * @returns false if another process is reconciling
   */
  reconcile(): Promise<boolean> {
    return this.#database.maintenance.session(async (db) => {
      const [lock] = await db
        .select({ taken: sql<boolean>`pg_try_advisory_lock(${reconcileLock})` })
        .from(oneRow)
      if (lock?.taken !== true) return false
      try {
        await this.#takeSteps(db)
      } finally {
        // If the connection is lost, the lock is gone as well.
        await db.execute(sql`select pg_advisory_unlock(${reconcileLock})`).catch(() => {})
      }
      return true
    })
  }

  #count({ collections }: FoundState): void {
    this.#serving = collections.filter(({ serving }) => serving !== null).length
  }

  async #takeSteps(db: Db): Promise<void> {
    const measured = new Set<number>()
    const isPostponed = (name: string) => (this.#postponed.get(name) ?? 0) > Date.now()
    const isMeasured = (collectionId: number) => measured.has(collectionId)
    for (;;) {
      const state = { ...(await this.#readState(db)), isPostponed, isMeasured }
      this.#count(state)
      const step = this.isStopped ? undefined : nextStep(state)
      if (step === undefined) {
        if (pendingBuilds(state).length > 0) this.wake(pendingMs)
        return
      }
      if (step.do === 'measure') measured.add(step.collectionId)
      await this.#take(db, step)
    }
  }

  /** A step on an index that fails is postponed for a while. */
  async #take(db: Db, step: IndexStep): Promise<void> {
    if (step.do === 'serve') return serveBy(db, step.collectionId, step.kind)
    if (step.do === 'measure') return measure(db, step.collectionId)
    const { index } = step
    const name = indexName(index)
    try {
      if (step.do === 'build') await this.#build(db, step)
      else await this.#drop(db, step)
      if (index.kind !== 'metadata') this.#changes[step.do === 'build' ? 'built' : 'dropped'] += 1
    } catch (error) {
      this.#changes.failed += 1
      const isSerial = this.#serialUntil > Date.now()
      if (step.do === 'build' && !isSerial && lacksResources(error)) {
        this.#serialUntil = Date.now() + serialMs
        this.#log.info('for an hour indexes are built by one process each')
      } else {
        this.#postponed.set(name, Date.now() + retryAfterMs)
      }
      this.#warn(`the ${step.do} of index ${name} failed`, error)
    }
  }

  async #build(db: Db, { index, vectors }: Extract<IndexStep, { do: 'build' }>): Promise<void> {
    const start = performance.now()
    await buildIndex(db, index, vectors, this.#serialUntil > Date.now() ? 'one' : 'many')
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    this.#log.info(`built index ${indexName(index)} of ${vectors} in ${seconds} s`)
  }

  async #drop(db: Db, { index, reason }: Extract<IndexStep, { do: 'drop' }>): Promise<void> {
    this.#log.info(`dropping index ${indexName(index)}: ${reason}`)
    // Searches that have begun still use it.
    if (index.kind !== 'metadata') await serveBy(db, index.collectionId, null)
    await dropIndex(db, index)
  }

  #warn(failure: string, error: unknown): void {
    // After a stop, the database is closed even if a run has not ended.
    if (!this.isStopped) this.#log.warn(failure, { cause: error })
  }
}
