import { sql } from 'drizzle-orm'
import { oneRow } from '../db/columns.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import {
  buildIndex,
  dropIndex,
  formFor,
  type IndexInCatalog,
  type IndexState,
  isSound,
  listIndexes,
  listSizes,
  listStates,
} from './catalog.ts'
import {
  type CollectionSize,
  deserving,
  type IndexLimits,
  isSettled,
  outgrows,
  type SearchIndex,
} from './policy.ts'

/** Any constant will do: the processes that serve one database take turns. */
const maintenanceLock = 7_236_452
const lookEveryMs = 5_000
/** So often, in looks, the catalog is read though nothing has happened in this process. */
const catalogEvery = 12
const retryAfterMs = 10 * 60_000

interface Seen {
  readonly now: CollectionSize
  /** At the look before; undefined when it was not there. */
  readonly before: CollectionSize | undefined
  /** When it last did not change between two looks. */
  readonly whenQuiet: CollectionSize
}

/**
 * Gives large projects an index of their own and takes it away again. What indexes there are stands
 * in the database's catalog alone; searches use this copy of it, and lose nothing but time when it
 * is out of date: without its index the same statement sorts the project's vectors.
 */
export class SearchIndexes {
  readonly #database: Database
  readonly #configured: IndexLimits
  /** Those of now: none where pgvector is not sound. */
  #limits: IndexLimits
  readonly #log: Log
  #indexes = new Map<number, SearchIndex>()
  readonly #seen = new Map<number, Seen>()
  /** Projects whose vectors have changed since the last look, or that are to be looked at again. */
  #changed: Set<number> | 'all' = 'all'
  /** Projects that had changed at the last look. */
  #restless: ReadonlySet<number> = new Set()
  /** When to try again what could not be built. */
  readonly #postponed = new Map<number, number>()
  readonly #tally = { built: 0, failed: 0, dropped: 0 }
  #looks = 0
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(database: Database, limits: IndexLimits, log: Log) {
    this.#database = database
    this.#configured = limits
    this.#limits = limits
    this.#log = log
  }

  /** The index that serves searches of a project, if it has one. */
  of(collectionId: number, dimensions: number): SearchIndex | undefined {
    const index = this.#indexes.get(collectionId)
    return index?.dimensions === dimensions ? index : undefined
  }

  /** How many indexes searches may use now, and what has become of others since the start. */
  get tally() {
    return { serving: this.#indexes.size, ...this.#tally }
  }

  /** To be told after vectors of a project were added or removed. */
  noteChange(collectionId: number | 'all'): void {
    if (collectionId === 'all') this.#changed = 'all'
    else if (this.#changed !== 'all') this.#changed.add(collectionId)
  }

  /** What indexes there are, and which are missing where these are the sizes of all projects. */
  async states(sizes: Iterable<CollectionSize>): Promise<IndexState[]> {
    const found = await listStates(this.#database.short.db)
    const indexed = new Set(found.map(({ collectionId }) => collectionId))
    const missing = deserving(sizes, indexed, this.#limits)
      .filter(({ collectionId }) => !indexed.has(collectionId))
      .map((size) => ({ ...formFor(this.#database, size), state: 'missing' as const, bytes: 0 }))
    return [...found, ...missing]
  }

  /** Looks after the indexes every few seconds, until `stop`. */
  start(): void {
    let looking = false
    const look = async () => {
      this.#looks += 1
      const idle = this.#changed !== 'all' && this.#changed.size === 0
      if (looking || (idle && this.#looks % catalogEvery !== 0)) return
      looking = true
      await this.look().catch((error) => this.#report('looking after search indexes', error))
      looking = false
    }
    void look()
    this.#timer = setInterval(() => void look(), lookEveryMs)
    this.#timer.unref()
  }

  /** A build that is under way goes on in the database, and is found valid at the next start. */
  stop(): void {
    this.#stopped = true
    clearInterval(this.#timer)
  }

  #report(what: string, error: unknown): void {
    // The database is closed under a look that is still running.
    if (!this.#stopped) this.#log.warn(what, { cause: error })
  }

  /**
   * Drops what is broken or no longer earned, and builds what is missing.
   * @returns false when another process is doing so; then only what it has built is taken note of
   */
  async look(): Promise<boolean> {
    const maintenance = this.#database.maintenance.db
    const [lock] = await maintenance
      .select({ taken: sql<boolean>`pg_try_advisory_lock(${maintenanceLock})` })
      .from(oneRow)
    if (lock?.taken !== true) {
      await this.#adopt(await listIndexes(maintenance))
      return false
    }
    try {
      await this.#checkSoundness()
      await this.#measureChanged()
      const found = await listIndexes(maintenance)
      const kept = await this.#dropUnearned(found)
      await this.#adopt(kept)
      await this.#buildMissing()
      return true
    } finally {
      await maintenance.execute(sql`select pg_advisory_unlock(${maintenanceLock})`)
    }
  }

  /** At every look: the database may have come back with another version. */
  async #checkSoundness(): Promise<void> {
    const sound = await isSound(this.#database.maintenance.db)
    if (!sound && this.#limits.maxIndexes > 0) {
      this.#log.warn('no search indexes: pgvector must be 0.8.4 or newer for them')
    }
    this.#limits = sound ? this.#configured : { ...this.#configured, maxIndexes: 0 }
  }

  async #measureChanged(): Promise<void> {
    const changed = this.#changed
    this.#changed = new Set()
    await this.#measure(changed)
    this.#restless = changed === 'all' ? new Set() : changed
  }

  async #measure(collectionIds: ReadonlySet<number> | 'all'): Promise<void> {
    if (collectionIds !== 'all' && collectionIds.size === 0) return
    const sizes = await listSizes(this.#database.maintenance.db, collectionIds)
    const found = new Map(sizes.map((size) => [size.collectionId, size]))
    for (const collectionId of collectionIds === 'all' ? this.#seen.keys() : collectionIds) {
      if (!found.has(collectionId)) this.#seen.delete(collectionId)
    }
    for (const [collectionId, now] of found) {
      const last = this.#seen.get(collectionId)
      const quiet = this.#restless.has(collectionId) ? last?.whenQuiet : last?.now
      this.#seen.set(collectionId, { now, before: last?.now, whenQuiet: quiet ?? now })
    }
  }

  #wanted(indexed: { has(collectionId: number): boolean }): Map<number, CollectionSize> {
    const sizes = [...this.#seen.values()].map(({ now }) => now)
    const wanted = deserving(sizes, indexed, this.#limits)
    return new Map(wanted.map((size) => [size.collectionId, size]))
  }

  /** @returns the indexes that stay */
  async #dropUnearned(found: readonly IndexInCatalog[]): Promise<IndexInCatalog[]> {
    const indexed = new Set(found.map(({ collectionId }) => collectionId))
    const wanted = this.#wanted(indexed)
    // Another process may know of uploads that this one does not.
    await this.#measure(new Set([...indexed].filter((collectionId) => !wanted.has(collectionId))))
    const earned = this.#wanted(indexed)
    const kept: IndexInCatalog[] = []
    for (const index of found) {
      const size = earned.get(index.collectionId)
      const reason = size === undefined ? 'its project is small or gone' : this.#flaw(index, size)
      if (reason === undefined) kept.push(index)
      else await this.#dropFor(reason, index)
    }
    return kept
  }

  #flaw(index: IndexInCatalog, size: CollectionSize): string | undefined {
    const form = formFor(this.#database, size)
    if (!index.valid) return 'its build was broken off'
    if (form.kind !== index.kind || form.dimensions !== index.dimensions)
      return 'it has another form'
    const { whenQuiet } = this.#seen.get(index.collectionId) ?? { whenQuiet: size }
    return outgrows(size, whenQuiet) ? 'its project grows fast' : undefined
  }

  async #dropFor(reason: string, { name, collectionId }: IndexInCatalog): Promise<void> {
    this.#indexes.delete(collectionId)
    this.#log.info(`dropping index ${name}: ${reason}`)
    await dropIndex(this.#database, this.#database.maintenance.db, name)
    this.#tally.dropped += 1
    this.noteChange(collectionId)
  }

  /** Searches use these indexes from now on. */
  async #adopt(found: readonly IndexInCatalog[]): Promise<void> {
    const valid = found.filter((index) => index.valid)
    const unseen = valid.filter(({ collectionId }) => !this.#seen.has(collectionId))
    await this.#measure(new Set(unseen.map(({ collectionId }) => collectionId)))
    const adopted = valid.map(({ collectionId, dimensions, kind }) => {
      const known = this.#indexes.get(collectionId) ?? this.#seen.get(collectionId)?.now
      return [
        collectionId,
        { collectionId, dimensions, kind, vectors: known?.vectors ?? 0 },
      ] as const
    })
    this.#indexes = new Map(adopted)
  }

  async #buildMissing(): Promise<void> {
    for (const [collectionId, size] of this.#wanted(this.#indexes)) {
      if (this.#indexes.has(collectionId)) continue
      const { before } = this.#seen.get(collectionId) ?? { before: undefined }
      if (!isSettled(size, before)) this.noteChange(collectionId)
      else if ((this.#postponed.get(collectionId) ?? 0) <= Date.now()) await this.#build(size)
    }
  }

  async #build(size: CollectionSize): Promise<void> {
    const { collectionId, vectors, dimensions } = size
    const start = performance.now()
    try {
      await buildIndex(this.#database, size)
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      this.#log.info(`indexed project ${collectionId} (${vectors} × ${dimensions}) in ${seconds} s`)
      this.#tally.built += 1
      this.#indexes.set(collectionId, { ...formFor(this.#database, size), vectors })
      this.#seen.set(collectionId, { now: size, before: size, whenQuiet: size })
    } catch (error) {
      this.#tally.failed += 1
      this.#postponed.set(collectionId, Date.now() + retryAfterMs)
      this.#report(`the index of project ${collectionId} could not be built`, error)
    }
  }
}
