import { sql } from 'drizzle-orm'
import { PeriodicTask } from '../../concurrency/periodic-task.ts'
import { oneRow } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import type { Log } from '../../log.ts'
import { oneTable } from './catalog.ts'
import { measuredPoint } from './effort.ts'
import { missingIndexes, nextStep, pendingBuilds, type State } from './plan.ts'
import type { IndexLimits } from './policy.ts'
import { type CurvePoint, fromComment } from './recall/recall-curve.ts'
import { shards } from './sharded-catalog.ts'
import { createStateReader } from './state.ts'
import { StepRunner } from './step-runner.ts'

/** An arbitrary number. Of the processes that serve one database, one at a time holds this lock. */
const reconcileLock = 7_236_452
const times = { everyMs: 60_000, soonMs: 2_000, retryMs: 5_000 }
/** How soon to look again while a project lacks its index, or while another process reconciles. */
const pendingMs = 5_000

/**
 * Gives large projects an index of their own, and drops it again. Whoever holds the lock reads the
 * desired and the actual state from the database before each step, so that no process has to
 * remember anything that another would need.
 */
export class SearchIndexes {
  readonly #database: Database
  readonly #readState: ReturnType<typeof createStateReader>
  readonly #steps: StepRunner
  readonly #task: PeriodicTask
  #serving = 0
  #measured: readonly CurvePoint[] = []
  #stopped = false

  constructor(database: Database, limits: IndexLimits, log: Log) {
    const report = (failure: string, error: unknown) => {
      // After a stop, the database is closed even if a run has not ended.
      if (!this.#stopped) log.warn(failure, { cause: error })
    }
    this.#database = database
    const catalog = database.isDistributed ? shards : oneTable
    this.#readState = createStateReader(database, catalog, limits, log)
    this.#steps = new StepRunner(catalog, log, report)
    this.#task = new PeriodicTask(
      times,
      async () => {
        if (!(await this.reconcile())) this.#task.wake(pendingMs)
      },
      (error) => report('looking after search indexes', error),
    )
  }

  /**
   * How many indexes searches use, and how many were built, dropped or have failed since the start.
   */
  get tally() {
    return { serving: this.#serving, ...this.#steps.tally }
  }

  /**
   * How many of the indexes in use have a measured recall, and the lowest; undefined if none has.
   */
  get recall() {
    const each = this.#measured.map(({ recall }) => recall)
    return { measured: each.length, lowest: each.length > 0 ? Math.min(...each) : undefined }
  }

  /** Call this after embeddings or projects were added or removed. */
  wake(): void {
    this.#task.wake()
  }

  /** Reconciles every minute, and within seconds when something has changed, until `stop`. */
  start(): void {
    this.#task.start()
  }

  /** A build that is under way goes on in the database, and is found valid at the next start. */
  stop(): void {
    this.#stopped = true
    this.#task.stop()
  }

  /**
   * Counts the indexes again, since another process may have changed them. Does not wait for Citus
   * workers.
   */
  async look(): Promise<void> {
    this.#count(await this.#readState(this.#database.short.db, oneTable))
  }

  /** The collections whose index is missing or broken. */
  async faults(): Promise<ReadonlyMap<number, 'missing' | 'broken'>> {
    const { isPostponed } = this.#steps
    const read = await this.#readState(this.#database.short.db)
    const state = { ...read, isPostponed, isMeasured: () => false }
    const faults = new Map<number, 'missing' | 'broken'>()
    for (const { collectionId } of missingIndexes(state)) faults.set(collectionId, 'missing')
    for (const { collectionId, state } of read.indexes) {
      if (state === 'broken') faults.set(collectionId, 'broken')
    }
    return faults
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

  #count({ collections, indexes }: Pick<State, 'collections' | 'indexes'>): void {
    this.#serving = collections.filter(({ serving }) => serving !== null).length
    this.#measured = indexes.flatMap(({ collectionId, kind, comment }) => {
      const size = collections.find(
        (each) => each.collectionId === collectionId && each.serving === kind,
      )
      return (size && measuredPoint({ ...size, recall: fromComment(comment) })) ?? []
    })
  }

  async #takeSteps(db: Db): Promise<void> {
    const { isPostponed } = this.#steps
    const sized = new Set<number>()
    const isMeasured = (collectionId: number) => sized.has(collectionId)
    const checkStop = () => {
      if (this.#stopped) throw new Error('stopped')
    }
    for (;;) {
      const read = await this.#readState(db)
      const state = { ...read, isPostponed, isMeasured }
      this.#count(state)
      const step = this.#stopped ? undefined : nextStep(state)
      if (step === undefined) {
        if (!this.#stopped) await this.#steps.dropUnusedOnMetadata(db, state.indexes)
        if (pendingBuilds(state).length > 0) this.#task.wake(pendingMs)
        return
      }
      if (step.do === 'measure') sized.add(step.collectionId)
      await this.#steps.run(db, step, checkStop)
    }
  }
}
