import { sql } from 'drizzle-orm'
import { oneRow } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import { firstSoundVersion, isSound, pgvectorVersion } from '../../db/pgvector.ts'
import type { Log } from '../../log.ts'
import type { IndexCatalog } from './catalog.ts'
import { readCollections } from './collections.ts'
import { listMetadataIndexes } from './metadata-index.ts'
import type { State } from './plan.ts'
import { type IndexLimits, roomForIndexes } from './policy.ts'

/** The state in the database, without what a process knows of its own steps. */
export type StateRead = Omit<State, 'isPostponed' | 'isPutOff' | 'isRecallPostponed' | 'isMeasured'>

/** Reads the actual state of the indexes, and what determines the desired one. */
export class StateReader {
  readonly #database: Database
  readonly #catalog: IndexCatalog
  readonly #limits: IndexLimits
  readonly #log: Log
  readonly #warned = new Set<string>()

  constructor(database: Database, catalog: IndexCatalog, limits: IndexLimits, log: Log) {
    this.#database = database
    this.#catalog = catalog
    this.#limits = limits
    this.#log = log
  }

  async read(db: Db, catalog = this.#catalog): Promise<StateRead> {
    const { limits, indexRoom } = await this.#effectiveLimits(db)
    const indexes = await catalog.list(db)
    const metadataIndexes = await listMetadataIndexes(db)
    const indexed = indexes.map(({ collectionId }) => collectionId)
    const collections = await readCollections(db, indexed, limits)
    return { indexes, metadataIndexes, collections, limits, indexRoom }
  }

  /** Read each time, because the database may return with another version or other settings. */
  async #effectiveLimits(db: Db): Promise<{ limits: IndexLimits; indexRoom: number }> {
    const none = { limits: { ...this.#limits, maxIndexes: 0 }, indexRoom: 0 }
    const version = await pgvectorVersion(db)
    if (version === undefined || !isSound(version)) {
      this.#warnOnce(`no search indexes: pgvector must be ${firstSoundVersion} or newer for them`)
      return none
    }
    const pools = Object.values(this.#database.load())
    const connections = pools.reduce((sum, { maxConcurrent }) => sum + maxConcurrent, 0)
    const room = roomForIndexes(await readLockSpace(db), connections)
    // Metadata indexes are not built on shards: searches would have to ask all of them for one.
    const indexRoom = this.#database.isDistributed ? 0 : room
    if (room >= this.#limits.maxIndexes) return { limits: this.#limits, indexRoom }
    this.#warnOnce(
      `at most ${room} search indexes instead of ${this.#limits.maxIndexes}: each statement locks all of them; raise max_locks_per_transaction of PostgreSQL for more`,
    )
    return { limits: { ...this.#limits, maxIndexes: room }, indexRoom }
  }

  #warnOnce(warning: string): void {
    if (!this.#warned.has(warning)) this.#log.warn(warning)
    this.#warned.add(warning)
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
