import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { oneRow } from '../../../src/db/columns.ts'
import { testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
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
} from '../../support/data/indexed.ts'
import { searchFrom } from '../../support/data/similars.ts'
import { newProject, type Project } from '../../support/factories.ts'
import { isOnCitus } from '../../support/servers/postgres-place.ts'

const documents = structured(24 * part, longDimensions)
const [first = { text_id: '' }] = documents
const modeFrom = async (project: Project) => modeOf(await searchFrom(project, first.text_id))

async function run(statement: string): Promise<void> {
  const { database } = await testApp()
  await database.maintenance.db.execute(sql.raw(statement))
}

interface Part {
  readonly rows: number
  readonly scans: number
}

/** How large the indexes of a project are on the nodes, in embeddings, and how often they were searched. */
async function partsOf(project: Project) {
  const { database } = await testApp()
  const prefix = `embeddings_hnsw_${await collectionOf(project)}_`
  const query = `select coalesce(json_agg(json_build_object('rows', reltuples, 'scans', idx_scan)), '[]')
    from pg_stat_all_indexes join pg_class on oid = indexrelid where starts_with(indexrelname, '${prefix}')`
  const rows = await database.maintenance.db
    .select({ parts: sql`result`.mapWith((json: string): Part[] => JSON.parse(json)) })
    .from(sql`run_command_on_all_nodes(${query})`)
  return rows.flatMap(({ parts }) => parts)
}

/** Takes the shard with a project's embeddings to another node. */
async function move(project: Project, to: string): Promise<void> {
  const shard = `get_shard_id_for_distribution_column('embeddings', ${await collectionOf(project)}::bigint)`
  await run(`select citus_move_shard_placement(${shard}, f.nodename, f.nodeport, t.nodename, t.nodeport, 'block_writes')
    from pg_dist_placement join pg_dist_node as f using (groupid), lateral (
      select nodename, nodeport from pg_dist_node where ${to} limit 1) as t
    where shardid = ${shard}`)
}

const hasShards = (really: boolean) =>
  run(`select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', ${really})
    from pg_dist_node where groupid = 0`)

describe.runIf(isOnCitus())('the index of a project whose embeddings are on a worker', () => {
  it('has them on one shard, and searches use it there, by parameters of their own', async () => {
    const project = await projectOf(documents)
    const filled = async () => (await partsOf(project)).filter(({ rows }) => rows > 0)
    expect(await filled()).toEqual([expect.objectContaining({ rows: documents.length })])
    expect(await modeFrom(project)).toBe('approximate')
    await expect.poll(async () => (await filled())[0]?.scans ?? 0).toBeGreaterThan(0)
    const { database, searchIndexes } = await testApp()
    const faults = await searchIndexes.faults()
    expect(faults.get(await collectionOf(project))).toBeUndefined()
    // A connection that has not loaded pgvector knows no such parameter, or an empty one.
    const [row] = await database.search.db
      .select({ own: sql`nullif(current_setting('hnsw.ef_search', true), '')` })
      .from(oneRow)
    expect(row?.own ?? '40').toBe('40')
  })

  it('goes where its shard goes', async () => {
    const project = await projectOf(documents)
    const { body } = await searchFrom(project, first.text_id)
    await move(project, 'groupid <> 0 and groupid <> f.groupid')
    await look()
    const answer = await searchFrom(project, first.text_id)
    expect(modeOf(answer)).toBe('approximate')
    expect(answer.body).toEqual(body)
  })

  it('is dropped everywhere when it is needed no more', async () => {
    const project = await projectOf(documents)
    expect(await partsOf(project)).not.toEqual([])
    const collectionId = await collectionOf(project)
    await call('DELETE', project.path(), { key: project.owner.key })
    await look()
    const names = await indexNames()
    expect(names.filter((name) => name.includes(`_${collectionId}_`))).toEqual([])
    const left = `select count(*) from pg_class where relname like 'embeddings_hnsw_${collectionId}_%'`
    const { database } = await testApp()
    const counts = await database.maintenance.db
      .select({ count: sql`result`.mapWith(Number) })
      .from(sql`run_command_on_all_nodes(${left})`)
    expect(counts.map(({ count }) => count)).toEqual([0, 0, 0])
  })

  it('is built where the coordinator has the shard', async () => {
    await hasShards(true)
    const project = await newProject({}, { dimensions: longDimensions })
    await move(project, 'groupid = 0')
    await add(project, documents)
    await lookTwice()
    expect(await modeFrom(project)).toBe('approximate')
    await move(project, 'groupid <> 0')
    await hasShards(false)
  })
})
