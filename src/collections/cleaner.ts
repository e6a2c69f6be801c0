import { and, asc, eq, gt, isNull, not, sql } from 'drizzle-orm'
import { PeriodicTask } from '../concurrency/periodic-task.ts'
import type { Database } from '../db/database.ts'
import { collections, projects } from '../db/schema.ts'
import { ServiceError } from '../errors.ts'
import type { Log } from '../log.ts'
import { forgetOldChanges } from './changes.ts'
import { giveUpLoading, isLoading } from './collections.ts'
import { deleteRows, inRange, textIdAfter } from './keys.ts'

/** Rows per transaction, during which the embedded engine answers nothing else. */
const batchRows = { postgres: 5_000, embedded: 500 }
const maxAtOnce = 1_000
const times = { everyMs: 60_000, soonMs: 1_000, retryMs: 5_000 }

/**
 * Deletes the embeddings of collections that no project uses any more, in batches. A project and
 * its collection are created in one transaction, and a collection never gets a second project. So a
 * collection without a project stays without one, unless a file is being imported into it.
 */
export class Cleaner extends PeriodicTask {
  readonly #database: Database
  readonly #log: Log

  constructor(database: Database, log: Log) {
    super(times)
    this.#database = database
    this.#log = log
  }

  protected override work(): Promise<void> {
    return this.clean()
  }

  /** Cleans up everything there is now, except what another process works on. */
  async clean(): Promise<void> {
    for (let last = 0; ; ) {
      const dead = await this.#findDead(last)
      for (const { collectionId } of dead) {
        let done: string | undefined = ''
        while (done !== undefined && !this.isStopped) {
          done = await this.#cleanBatch(collectionId, done)
        }
      }
      if (dead.length < maxAtOnce) break
      last = dead.at(-1)?.collectionId ?? last
    }
    while (!this.isStopped && (await forgetOldChanges(this.#database.maintenance.db))) {}
  }

  #findDead(after: number) {
    return this.#database.maintenance.db
      .select({ collectionId: collections.collectionId })
      .from(collections)
      .leftJoin(projects, eq(projects.collectionId, collections.collectionId))
      .where(and(isNull(projects.projectId), not(isLoading), gt(collections.collectionId, after)))
      .orderBy(asc(collections.collectionId))
      .limit(maxAtOnce)
  }

  /** @returns up to which text_id everything is deleted; undefined if nothing is left to do */
  #cleanBatch(collectionId: number, after: string): Promise<string | undefined> {
    const size = batchRows[this.#database.engine]
    return this.#database.maintenance.transaction(async ({ db }) => {
      // The statistics still count deleted rows, so a scan of all projects' rows may look cheaper,
      // also for the check that no row refers to the collection any more.
      await db.execute(sql`set local enable_seqscan = off`)
      const [mine] = await db
        .select({ revision: collections.revision })
        .from(collections)
        .where(and(eq(collections.collectionId, collectionId), not(isLoading)))
        .for('update', { skipLocked: true })
      if (mine === undefined) return undefined
      // An import that resumes after a pause must not continue with a part of what it has stored.
      if (mine.revision === 0) await giveUpLoading(db, collectionId)
      // Starts where the previous batch ended: an index scan steps over rows that are already dead.
      const upTo = await textIdAfter(db, collectionId, after, size)
      await deleteRows(db, inRange(collectionId, { after, upTo }))
      if (upTo !== undefined) return upTo
      await db.delete(collections).where(eq(collections.collectionId, collectionId))
      return undefined
    })
  }

  protected override failed(error: unknown): void {
    // The database is closed during a run, or busy with an index for longer than a statement waits.
    const isBusy = error instanceof ServiceError && error.kind === 'unavailable'
    if (this.isStopped || isBusy) return
    this.#log.warn('deleted embeddings could not be cleaned up', { cause: error })
  }
}
