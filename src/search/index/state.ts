import { desc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import { oneRow } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import { firstSoundVersion, type IndexKind, isSound, pgvectorVersion } from '../../db/pgvector.ts'
import { collections, projects } from '../../db/schema.ts'
import type { Log } from '../../log.ts'
import { listIndexes } from './catalog.ts'
import {
  type FoundState,
  type IndexedCollection,
  type IndexLimits,
  roomForIndexes,
} from './plan.ts'

/** Reads the actual state of the indexes, and what determines the desired one. */
export function createStateReader(database: Database, limits: IndexLimits, log: Log) {
  const warned = new Set<string>()
  function warnOnce(warning: string): void {
    if (!warned.has(warning)) log.warn(warning)
    warned.add(warning)
  }

  /** Read each time, because the database may return with another version or other settings. */
  async function roomIn(db: Db): Promise<number> {
    const version = await pgvectorVersion(db)
    if (version === undefined || !isSound(version)) {
      warnOnce(`no search indexes: pgvector must be ${firstSoundVersion} or newer for them`)
      return 0
    }
    const pools = Object.values(database.load())
    const connections = pools.reduce((sum, { maxConcurrent }) => sum + maxConcurrent, 0)
    const room = roomForIndexes(await readLockSpace(db), connections)
    if (room < limits.maxIndexes) {
      warnOnce(
        `at most ${room} search indexes instead of ${limits.maxIndexes}: each statement locks all of them; raise max_locks_per_transaction of PostgreSQL for more`,
      )
    }
    return room
  }

  return async (db: Db): Promise<FoundState> => {
    const room = await roomIn(db)
    const limited = { ...limits, maxIndexes: Math.min(room, limits.maxIndexes) }
    const indexes = await listIndexes(db)
    const indexed = indexes.map(({ collectionId }) => collectionId)
    const collections = await readCollections(db, indexed, limited)
    // On shards, searches would have to ask all of them whether there is one.
    const maxOnMetadata = database.isDistributed ? 0 : Math.floor(room / 2)
    return { indexes, collections, limits: limited, maxOnMetadata }
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

/**
 * The projects' collections that may need a step: those given, those whose searches use an index,
 * and the largest above the budget. Other collections are not read, however many there are.
 */
async function readCollections(
  db: Db,
  indexed: readonly number[],
  { exactBudget, maxIndexes, indexDelay }: IndexLimits,
): Promise<IndexedCollection[]> {
  const ofProject = eq(projects.collectionId, collections.collectionId)
  const largest = db
    .select({ collectionId: collections.collectionId })
    .from(collections)
    .innerJoin(projects, ofProject)
    .where(gt(collections.components, Math.min(exactBudget, Number.MAX_SAFE_INTEGER)))
    .orderBy(desc(collections.components))
    .limit(maxIndexes)
  const serving = db
    .select({ collectionId: collections.collectionId })
    .from(collections)
    .where(isNotNull(collections.searchIndex))
  const given = sql`select jsonb_array_elements(${JSON.stringify(indexed)}::jsonb)::bigint`
  return db
    .select({
      collectionId: collections.collectionId,
      vectors: collections.vectors,
      dimensions: sql`coalesce(${collections.dimensions}, 0)`.mapWith(Number),
      serving: collections.searchIndex,
      measuredVectors: collections.measuredVectors,
      isDue: sql<boolean>`coalesce(
        ${collections.measuredAt} <= clock_timestamp() - make_interval(secs => ${indexDelay}), true)`,
    })
    .from(collections)
    .innerJoin(projects, ofProject)
    .where(sql`${collections.collectionId} in (${given} union (${largest}) union (${serving}))`)
    .orderBy(collections.collectionId)
}

/** Lets searches of a collection use its index of this kind, or none. */
export async function serveBy(db: Db, id: number, searchIndex: IndexKind | null): Promise<void> {
  await db.update(collections).set({ searchIndex }).where(eq(collections.collectionId, id))
}

/**
 * Stores the number of vectors for a later comparison, in the database so that every server sees
 * it.
 */
export async function measure(db: Db, collectionId: number): Promise<void> {
  await db
    .update(collections)
    .set({ measuredVectors: collections.vectors, measuredAt: sql`clock_timestamp()` })
    .where(eq(collections.collectionId, collectionId))
}
