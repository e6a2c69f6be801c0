import { sql } from 'drizzle-orm'
import { pgClass } from '../../db/catalog.ts'
import type { Db } from '../../db/database.ts'
import { errorCode } from '../../db/errors.ts'
import { indexName, metadataNames } from '../../db/index-name.ts'
import type { Log } from '../../log.ts'
import { dropIndex, formFor, type IndexCatalog, indexesNamed, keepRecall } from './catalog.ts'
import { measuredPoint } from './effort.ts'
import { buildMetadataIndex, type MetadataIndexForm, metadataIndexName } from './metadata-index.ts'
import { type IndexStep, recallOf } from './plan.ts'
import type { CollectionSize, SearchIndex } from './policy.ts'
import { measureRecall } from './recall/recall.ts'
import { measure, serveBy, stopServingBy } from './state.ts'

type StepTo<Do> = Extract<IndexStep, { readonly do: Do }>

const retryAfterMs = 10 * 60_000
/** For how long a single process builds each index, after several lacked shared resources. */
const serialMs = 60 * 60_000

/**
 * Error class 53, insufficient resources: for example shared memory, of which a container has 64 MB
 * by default. Citus workers report no code.
 */
const mayLackResources = (error: unknown) => /^53/.test(errorCode(error) ?? '53')

/** Runs the steps towards the desired state. A step that fails is postponed for a while. */
export class StepRunner {
  /** What has happened to indexes since the start. */
  readonly tally = { built: 0, failed: 0, dropped: 0 }
  readonly #catalog: IndexCatalog
  readonly #log: Log
  readonly #report: (failure: string, error: unknown) => void
  /** Until when a step is postponed, by the name of its index. */
  readonly #postponed = new Map<string, number>()
  #serialUntil = 0

  /** @param report is called with each failure */
  constructor(catalog: IndexCatalog, log: Log, report: (failure: string, error: unknown) => void) {
    this.#catalog = catalog
    this.#log = log
    this.#report = report
  }

  isPostponed = (what: string): boolean => (this.#postponed.get(what) ?? 0) > Date.now()

  /** @param checkStop is called by steps that take long, and throws to stop them */
  run(db: Db, step: IndexStep, checkStop: () => void): Promise<void> {
    switch (step.do) {
      case 'stop serving':
        return serveBy(db, step.collectionId, null)
      case 'serve':
        return serveBy(db, step.collectionId, step.kind)
      case 'measure':
        return measure(db, step.collectionId)
      case 'drop':
        return this.#drop(db, step)
      case 'build':
        return this.#build(db, step)
      case 'measure recall':
        return this.#measureRecall(db, step.index, checkStop)
    }
  }

  async #drop(db: Db, { index, reason }: StepTo<'drop'>): Promise<void> {
    this.#log.info(`dropping index ${index.name}: ${reason}`)
    await stopServingBy(db, index)
    await this.#attempt(index.name, `index ${index.name} could not be dropped`, async () => {
      await dropIndex(db, index.name)
      this.tally.dropped += 1
    })
  }

  /**
   * Drops what broken-off builds and dropped search indexes have left. A broken one is built anew
   * with the next search index: it only makes filtered searches faster.
   */
  async dropUnusedOnMetadata(db: Db, searchIndexes: readonly MetadataIndexForm[]): Promise<void> {
    const used = new Set(searchIndexes.map(metadataIndexName))
    for (const { name, state } of await indexesNamed(db, sql`${pgClass.name} ~ ${metadataNames}`)) {
      const isKept = state === 'building' || (state === 'valid' && used.has(name))
      if (isKept || this.isPostponed(name)) continue
      this.#log.info(`dropping index ${name}: it is broken, or has no search index beside it`)
      await this.#attempt(name, `index ${name} could not be dropped`, () => dropIndex(db, name))
    }
  }

  async #build(db: Db, { size, withMetadata }: StepTo<'build'>): Promise<void> {
    const { collectionId, vectors, dimensions } = size
    // Comes first, so that a build that is broken off is repeated as a whole.
    if (withMetadata) await this.#buildForMetadata(db, size)
    const seconds = stopwatch()
    const failure = `the index of collection ${collectionId} could not be built`
    const processes = this.#serialUntil > Date.now() ? 'one' : 'many'
    const tryByOne = (error: unknown) => {
      if (processes === 'one' || !mayLackResources(error)) return false
      this.#serialUntil = Date.now() + serialMs
      this.#log.info('for an hour indexes are built by one process each')
      return true
    }
    const build = async () => {
      await this.#catalog.build(db, size, processes)
      this.#log.info(
        `indexed collection ${collectionId} (${vectors} × ${dimensions}) in ${seconds()}`,
      )
      this.tally.built += 1
    }
    await this.#attempt(indexName(formFor(size)), failure, build, tryByOne)
  }

  async #measureRecall(db: Db, index: SearchIndex, checkStop: () => void): Promise<void> {
    const { collectionId } = index
    const seconds = stopwatch()
    const failure = `the recall of the index of collection ${collectionId} could not be measured`
    await this.#attempt(recallOf(index), failure, async () => {
      const recall = await measureRecall(db, index, checkStop)
      await keepRecall(db, index, recall)
      const point = measuredPoint({ ...index, recall })
      this.#log.info(`measured recall of collection ${collectionId} in ${seconds()}`, {
        recall: point?.recall,
        at_least: point?.atLeast,
        ef_search: point?.efSearch,
        candidates: point?.candidates,
        sample: recall.sample,
      })
    })
  }

  /** Without it, filtered searches only take longer. */
  async #buildForMetadata(db: Db, size: CollectionSize): Promise<void> {
    const name = metadataIndexName(size)
    await this.#attempt(name, `the index ${name} could not be built`, async () => {
      await dropIndex(db, name)
      await buildMetadataIndex(db, size)
    })
  }

  /**
   * @param what is postponed if it fails
   * @param isRetried whether the work is retried at once in another way
   */
  async #attempt(
    what: string,
    failure: string,
    work: () => Promise<void>,
    isRetried: (error: unknown) => boolean = () => false,
  ): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.tally.failed += 1
      if (!isRetried(error)) this.#postponed.set(what, Date.now() + retryAfterMs)
      this.#report(failure, error)
    }
  }
}

function stopwatch(): () => string {
  const start = performance.now()
  return () => `${((performance.now() - start) / 1000).toFixed(1)} s`
}
