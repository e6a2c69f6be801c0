import { sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Db } from '../db/database.ts'
import { type IndexForm, indexName } from '../db/index-name.ts'
import {
  createIndex,
  formFor,
  type IndexCatalog,
  type IndexInCatalog,
  listIndexes,
  megabytesToBuild,
} from './catalog.ts'

/*
 * Where embeddings are on the workers of a Citus cluster. An index is on the one shard that has its collection,
 * by the name that Citus would give it. The coordinator's own table, which is empty, has one of the same definition:
 * there Citus finds what to build where a shard moves to and what to drop, searches what is known of the recall.
 */

/** The table of a collection's embeddings. */
interface Placement {
  /** As `nodeOf` has it. */
  readonly node: string
  readonly host: string
  readonly port: number
  readonly shard: string
}

/** An index on a worker. */
interface Part extends Pick<IndexInCatalog, 'name' | 'bytes'> {
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
      // Of a worker that does not answer nothing is known, and nothing changes.
      if (onWorker === undefined) return index
      const part = onWorker.find(({ name }) => name === indexName(index) + suffixOf(placement))
      return { ...index, bytes: part?.bytes ?? 0, state: stateOf(part) }
    })
  },

  async build(db, size, processes) {
    const form = formFor(size)
    await db.execute(sql`set citus.enable_ddl_propagation = off`)
    try {
      await db.execute(createIndex(form))
    } finally {
      // Where the connection is lost it is lost with it.
      await db.execute(sql`reset citus.enable_ddl_propagation`).catch(() => {})
    }
    const placement = (await placementsOf(db, [form])).get(form.collectionId)
    if (placement === undefined) throw new Error('no worker has the embeddings')
    const set = (name: string, value: string) => ofDatabase(`set ${name} = ${value}`)
    const reset = (name: string) => ofDatabase(`reset ${name}`)
    const memory = `''${megabytesToBuild(size)}MB''`
    await runOn(db, placement, set('maintenance_work_mem', memory))
    if (processes === 'one')
      await runOn(db, placement, set('max_parallel_maintenance_workers', '0'))
    try {
      const statement = new PgDialect().sqlToQuery(createIndex(form, suffixOf(placement)))
      await runOn(db, placement, sql`${statement.sql}::text`)
    } finally {
      for (const name of ['maintenance_work_mem', 'max_parallel_maintenance_workers'])
        await runOn(db, placement, reset(name)).catch(() => {})
    }
  },
}

const nodeOf = (host: string, port: number) => `${host}:${port}`

const suffixOf = ({ shard }: Placement) => `_${shard}`

function stateOf(part: Part | undefined): IndexInCatalog['state'] {
  if (part?.valid) return 'valid'
  return part?.building ? 'building' : 'broken'
}

async function placementsOf(
  db: Db,
  forms: readonly Pick<IndexForm, 'collectionId'>[],
): Promise<ReadonlyMap<number, Placement>> {
  const ids = JSON.stringify(forms.map(({ collectionId }) => collectionId))
  const rows = await db
    .select({
      collectionId: sql`id`.mapWith(Number),
      host: sql<string>`nodename`,
      port: sql`nodeport`.mapWith(Number),
      shard: sql<string>`shardid::text`,
    })
    .from(
      sql`(
        select id::bigint, get_shard_id_for_distribution_column('embeddings', id::bigint) as shardid
        from jsonb_array_elements(${ids}::jsonb) as id) as wanted
      join pg_dist_placement using (shardid) join pg_dist_node using (groupid)`,
    )
    .where(sql`noderole = 'primary'`)
  return new Map(
    rows.map(({ collectionId, host, port, shard }) => [
      collectionId,
      { node: nodeOf(host, port), host, port, shard },
    ]),
  )
}

/** All of each worker, in JSON. */
const partsQuery = `
  select coalesce(json_agg(json_build_object(
    'name', relname,
    'valid', indisvalid and indisready,
    'building', exists (select from pg_stat_progress_create_index where index_relid = indexrelid),
    'bytes', pg_relation_size(indexrelid))), '[]')
  from pg_index join pg_class on oid = indexrelid
  where relname like 'embeddings\\_hnsw\\_%' and relnamespace = 'public'::regnamespace`

/** By worker, without those that do not answer. */
async function readParts(db: Db): Promise<ReadonlyMap<string, readonly Part[]>> {
  const rows = await db
    .select({
      host: sql<string>`nodename`,
      port: sql`nodeport`.mapWith(Number),
      parts: sql`result`.mapWith((json: string): Part[] => JSON.parse(json)),
    })
    .from(sql`run_command_on_workers(${partsQuery})`)
    .where(sql`success`)
  return new Map(rows.map(({ host, port, parts }) => [nodeOf(host, port), parts]))
}

const ofDatabase = (change: string) =>
  sql.raw(
    `format('set local citus.enable_ddl_propagation = off; alter database %I ${change}', current_database())`,
  )

/** @throws what the worker says */
async function runOn(
  db: Db,
  { node, host, port }: Placement,
  command: ReturnType<typeof sql>,
): Promise<void> {
  const [row] = await db
    .select({ success: sql<boolean>`success`, result: sql<string>`result` })
    .from(
      sql`master_run_on_worker(array[${host}::text], array[${port}::int], array[${command}], false)`,
    )
  if (row?.success !== true) throw new Error(`the worker ${node} says: ${row?.result}`)
}
