import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { oneRow } from '../../src/db/columns.ts'
import { testApp } from '../support/app.ts'
import { call } from '../support/client.ts'
import {
  add,
  collectionOf,
  indexNames,
  longDimensions,
  look,
  lookTwice,
  modeOf,
  part,
  projectOf,
  structured,
} from '../support/data/indexed.ts'
import { searchFrom } from '../support/data/similars.ts'
import { newProject, type Project } from '../support/factories.ts'
import { isOnCitus } from '../support/servers/postgres-place.ts'

const documents = structured(24 * part, longDimensions)
const [first = { text_id: '' }] = documents
const modeFrom = async (project: Project) => modeOf(await searchFrom(project, first.text_id))

async function run(statement: string): Promise<void> {
  const { database } = await testApp()
  await database.maintenance.db.execute(sql.raw(statement))
}

/** On the workers: how large the index of a project is there, in embeddings, and how often it was searched. */
async function partsOf(project: Project) {
  const { database } = await testApp()
  const prefix = `embeddings_hnsw_${await collectionOf(project)}_`
  const query = `select coalesce(json_agg(json_build_object('name', indexrelname, 'rows', reltuples, 'scans', idx_scan)), '[]')
    from pg_stat_all_indexes join pg_class on oid = indexrelid where starts_with(indexrelname, '${prefix}')`
  const rows = await database.maintenance.db
    .select({ parts: sql`result`.mapWith((json: string): Part[] => JSON.parse(json)) })
    .from(sql`run_command_on_workers(${query})`)
  return rows.flatMap(({ parts }) => parts)
}

interface Part {
  readonly name: string
  readonly rows: number
  readonly scans: number
}

const hasShards = (really: boolean) =>
  `select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', ${really}) from pg_dist_node where groupid = 0`

/** Takes the shard with a project's embeddings to the other worker. */
async function move(project: Project): Promise<void> {
  const { database } = await testApp()
  const collectionId = await collectionOf(project)
  const [from] = await database.maintenance.db
    .select({ shard: sql<string>`shardid::text`, groupId: sql`groupid`.mapWith(Number) })
    .from(sql`pg_dist_placement`)
    .where(
      sql`shardid = get_shard_id_for_distribution_column('embeddings', ${collectionId}::bigint)`,
    )
  const node = (where: string) =>
    `(select nodename from pg_dist_node where ${where}), (select nodeport from pg_dist_node where ${where})`
  const old = `groupid = ${from?.groupId}`
  await run(`select citus_move_shard_placement(${from?.shard}, ${node(old)},
    ${node(`groupid not in (0, ${from?.groupId})`)}, 'block_writes')`)
}

describe.runIf(isOnCitus())('the index of a project whose embeddings are on a worker', () => {
  it('is on the one shard, and searches use it there', async () => {
    const project = await projectOf(documents)
    const before = await partsOf(project)
    expect(before).toEqual([expect.objectContaining({ rows: documents.length })])
    expect(await modeFrom(project)).toBe('approximate')
    const { searchIndexes } = await testApp()
    const faults = await searchIndexes.faults()
    expect(faults.get(await collectionOf(project))).toBeUndefined()
    const scans = async () => (await partsOf(project))[0]?.scans ?? 0
    await expect.poll(scans).toBeGreaterThan(0)
  })

  it('goes where its shard goes', async () => {
    const project = await projectOf(documents)
    const { body } = await searchFrom(project, first.text_id)
    await move(project)
    await look()
    const answer = await searchFrom(project, first.text_id)
    expect(modeOf(answer)).toBe('approximate')
    expect(answer.body).toEqual(body)
    await move(project)
  })

  it('is built again where it is missing on the worker', async () => {
    const project = await projectOf(documents)
    const [part] = await partsOf(project)
    await run(`select run_command_on_workers('drop index if exists ${part?.name}')`)
    expect(await partsOf(project)).toEqual([])
    await look()
    expect(await partsOf(project)).toEqual([expect.objectContaining({ name: part?.name })])
    expect(await modeFrom(project)).toBe('approximate')
  })

  it('is dropped everywhere when it is needed no more', async () => {
    const project = await projectOf(documents)
    await call('DELETE', project.path('embeddings'), { key: project.owner.key })
    const collectionId = await collectionOf(project)
    await look()
    expect(await partsOf(project)).toEqual([])
    const names = await indexNames()
    expect(names.filter((name) => name.includes(`_${collectionId}_`))).toEqual([])
  })

  it('is searched with the effort that its recall asks for', async () => {
    const project = await projectOf(documents)
    const exact = await searchFrom(project, first.text_id, { exact: 'true', threshold: 0 })
    const found = await searchFrom(project, first.text_id, { threshold: 0, min_recall: 0.999 })
    const ids = ({ body }: typeof exact) => body.results.map(({ id }: { id: string }) => id)
    expect(ids(found).toSorted()).toEqual(ids(exact).toSorted())
    const { database } = await testApp()
    // A connection that has not loaded pgvector knows no such parameter, or an empty one.
    const [row] = await database.search.db
      .select({ own: sql`nullif(current_setting('hnsw.ef_search', true), '')` })
      .from(oneRow)
    expect(row?.own ?? '40').toBe('40')
  })

  it('is built, and watched, where the coordinator has the shard', async () => {
    await run(hasShards(true))
    const project = await newProject({}, { dimensions: longDimensions })
    const collectionId = await collectionOf(project)
    const shard = `get_shard_id_for_distribution_column('embeddings', ${collectionId}::bigint)`
    const moved = (from: string, to: string) =>
      run(`select citus_move_shard_placement(${shard}, f.nodename, f.nodeport, t.nodename, t.nodeport, 'block_writes')
        from (${from}) as f, (${to}) as t`)
    const local = 'select nodename, nodeport from pg_dist_node where groupid = 0'
    const place = `select nodename, nodeport from pg_dist_placement join pg_dist_node using (groupid) where shardid = ${shard}`
    const worker = 'select nodename, nodeport from pg_dist_node where groupid <> 0 limit 1'
    await moved(place, local)
    await add(project, documents)
    await lookTwice()
    const { database, searchIndexes } = await testApp()
    const isBuilt = async () => !(await searchIndexes.faults()).has(collectionId)
    expect(await isBuilt()).toBe(true)
    expect(await modeFrom(project)).toBe('approximate')
    const [row] = await database.maintenance.db
      .select({ shard: sql<string>`${sql.raw(shard)}::text` })
      .from(oneRow)
    await database.maintenance.session(async (db) => {
      await db.execute(sql`set citus.enable_ddl_propagation = off`)
      await db.execute(sql`set citus.enable_manual_changes_to_shards = on`)
      const name = `embeddings_hnsw_${collectionId}_halfvec_l2_${longDimensions}_${row?.shard}`
      await db.execute(sql`drop index ${sql.identifier(name)}`)
      await db.execute(sql`reset citus.enable_ddl_propagation`)
      await db.execute(sql`reset citus.enable_manual_changes_to_shards`)
    })
    expect(await isBuilt()).toBe(false)
    await look()
    expect(await isBuilt()).toBe(true)
    await moved(place, worker)
    await run(hasShards(false))
  })

  it('is built by one process where a worker lacks what several of them share', async () => {
    const onWorkers = (commands: string) =>
      run(`select run_command_on_workers($$set citus.enable_ddl_propagation = off; ${commands}$$)`)
    await onWorkers(`create function lack() returns event_trigger language plpgsql as '
        begin
          if current_setting(''max_parallel_maintenance_workers'') <> ''0'' then
            raise exception using errcode = ''53100'', message = ''no shared memory'';
          end if;
        end';
      create event trigger lack on ddl_command_start when tag in ('CREATE INDEX') execute function lack()`)
    const project = await projectOf(documents)
    await onWorkers('drop event trigger lack; drop function lack()')
    expect(await partsOf(project)).toEqual([expect.objectContaining({ rows: documents.length })])
    expect(await modeFrom(project)).toBe('approximate')
  })
})
