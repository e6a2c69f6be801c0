import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/database.ts'
import { type IndexForm, indexName, namesLike } from '../../db/index-name.ts'
import { withSettings } from '../../db/session-settings.ts'
import {
  createIndex,
  formFor,
  type IndexCatalog,
  type IndexInCatalog,
  listIndexes,
  megabytesToBuild,
  setResources,
  stateOf,
} from './catalog.ts'
import type { CollectionSize } from './policy.ts'

// The catalog for embeddings on the workers of a Citus cluster. An index is on the shard that has
// its collection, under the name that Citus would give it. The coordinator's own table, which is
// empty, has an index of the same definition: there Citus finds what to build when a shard moves
// and what to drop, and searches find the measured recall.

/** Where the table with a collection's embeddings is. */
interface Placement {
  /** The number of the node in `pg_dist_node`. */
  readonly node: number
  readonly host: string
  readonly port: number
  readonly shard: string
  readonly isCoordinator: boolean
}

/** An index on a worker. */
interface Part extends Pick<IndexInCatalog, 'name'> {
  readonly valid: boolean
  readonly building: boolean
}

export const shards: IndexCatalog = {
  async list(db) {
    const indexes = await listIndexes(db)
    if (indexes.length === 0) return []
    const placements = await placementsOf(db, indexes)
    const parts = await readParts(db)
    return indexes.map((index) => {
      const placement = placements.get(index.collectionId)
      if (placement === undefined || index.state !== 'valid') return index
      const onWorker = parts.get(placement.node)
      // If a worker does not answer, its indexes are unknown, and nothing changes.
      if (onWorker === undefined) return index
      const part = onWorker.find(({ name }) => name === indexName(index) + suffixOf(placement))
      if (part === undefined) return { ...index, state: 'broken' }
      return { ...index, state: stateOf(part) }
    })
  },

  async build(db, size, processes) {
    const form = formFor(size)
    await onCoordinator(db, createIndex(form))
    const placement = (await placementsOf(db, [form])).get(form.collectionId)
    if (placement === undefined) throw new Error('no worker has the embeddings')
    if (!placement.isCoordinator) return buildOnWorker(db, placement, size, processes)
    // Sent through a worker's connection, this would wait for the statement that sends it.
    await setResources(db, size, processes)
    await onCoordinator(db, createIndex(form, suffixOf(placement)))
  },
}

/**
 * Sets the resources as defaults of the worker's database, because a Citus connection reads them
 * when it starts.
 */
async function buildOnWorker(
  db: Db,
  placement: Placement,
  size: CollectionSize,
  processes: 'many' | 'one',
): Promise<void> {
  const [memory, helpers] = ['maintenance_work_mem', 'max_parallel_maintenance_workers']
  const create = createIndex(formFor(size), suffixOf(placement))
  await runOn(db, placement, ofDatabase(`set ${memory} = ''${megabytesToBuild(size)}MB''`))
  if (processes === 'one') await runOn(db, placement, ofDatabase(`set ${helpers} = 0`))
  try {
    await runOn(db, placement, sql`${new PgDialect().sqlToQuery(create).sql}::text`)
  } finally {
    for (const name of [memory, helpers])
      await runOn(db, placement, ofDatabase(`reset ${name}`)).catch(() => {})
  }
}

const suffixOf = ({ shard }: Placement) => `_${shard}`

async function placementsOf(
  db: Db,
  forms: readonly Pick<IndexForm, 'collectionId'>[],
): Promise<ReadonlyMap<number, Placement>> {
  const ids = JSON.stringify(forms.map(({ collectionId }) => collectionId))
  const rows = await db
    .select({
      collectionId: sql`id`.mapWith(Number),
      node: sql`nodeid`.mapWith(Number),
      host: sql<string>`nodename`,
      port: sql`nodeport`.mapWith(Number),
      shard: sql<string>`shardid::text`,
      isCoordinator: sql<boolean>`groupid = 0`,
    })
    .from(
      sql`(
        select id::bigint, get_shard_id_for_distribution_column('embeddings', id::bigint) as shardid
        from jsonb_array_elements(${ids}::jsonb) as id) as wanted
      join pg_dist_placement using (shardid) join pg_dist_node using (groupid)`,
    )
    .where(sql`noderole = 'primary'`)
  return new Map(rows.map((row) => [row.collectionId, row]))
}

/** Lists a node's indexes as JSON. The coordinator may have shards as well. */
const partsQuery = `
  select coalesce(json_agg(json_build_object(
    'name', relname,
    'valid', indisvalid and indisready,
    'building', exists (select from pg_stat_progress_create_index where index_relid = indexrelid))), '[]')
  from pg_index join pg_class on oid = indexrelid
  where relname like '${namesLike}' and relnamespace = 'public'::regnamespace`

/** Indexes by node, without the nodes that do not answer. */
async function readParts(db: Db): Promise<ReadonlyMap<number, readonly Part[]>> {
  const rows = await db
    .select({
      node: sql`nodeid`.mapWith(Number),
      parts: sql`result`.mapWith((json: string): Part[] => JSON.parse(json)),
    })
    .from(sql`run_command_on_all_nodes(${partsQuery})`)
    .where(sql`success`)
  return new Map(rows.map(({ node, parts }) => [node, parts]))
}

/** Runs a statement on the coordinator's own table or shard only. */
async function onCoordinator(db: Db, statement: SQL): Promise<void> {
  const own = {
    'citus.enable_ddl_propagation': 'off',
    'citus.enable_manual_changes_to_shards': 'on',
  }
  await withSettings(db, own, () => db.execute(statement))
}

const ofDatabase = (change: string) =>
  sql.raw(
    `format('set local citus.enable_ddl_propagation = off; alter database %I ${change}', current_database())`,
  )

/** @throws the error message of the worker */
async function runOn(db: Db, { host, port }: Placement, command: SQL): Promise<void> {
  const [row] = await db
    .select({ success: sql<boolean>`success`, result: sql<string>`result` })
    .from(
      sql`master_run_on_worker(array[${host}::text], array[${port}::int], array[${command}], false)`,
    )
  if (row?.success !== true) throw new Error(`the worker ${host}:${port} says: ${row?.result}`)
}
