import type { Database, Db } from '../db/database.ts'
import type { Log } from '../log.ts'
import {
  buildIndex,
  dropIndex,
  formFor,
  type IndexForm,
  type IndexInCatalog,
  nameOf,
} from './catalog.ts'
import { measure, serveBy, stopServingBy } from './collections.ts'
import type { Step } from './plan.ts'
import type { CollectionSize } from './policy.ts'

const retryAfterMs = 10 * 60_000

/** Takes the steps towards the desired state. A build or a drop that fails is put off for a while. */
export class StepRunner {
  /** What has become of indexes since the start. */
  readonly tally = { built: 0, failed: 0, dropped: 0 }
  readonly #database: Database
  readonly #log: Log
  readonly #report: (failure: string, error: unknown) => void
  /** Until when, by name. */
  readonly #postponed = new Map<string, number>()

  /** @param report is told what failed */
  constructor(database: Database, log: Log, report: (failure: string, error: unknown) => void) {
    this.#database = database
    this.#log = log
    this.#report = report
  }

  isPostponed = (form: IndexForm): boolean => (this.#postponed.get(nameOf(form)) ?? 0) > Date.now()

  run(db: Db, step: Step): Promise<void> {
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
      this.tally.dropped += 1
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
      this.tally.built += 1
    })
  }

  async #attempt(form: IndexForm, failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.tally.failed += 1
      this.#postponed.set(nameOf(form), Date.now() + retryAfterMs)
      this.#report(failure, error)
    }
  }
}
