import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { oneRow } from '../../src/db/columns.ts'
import { testApp } from '../support/app.ts'
import { call } from '../support/client.ts'
import {
  collectionOf,
  indexNames,
  longDimensions,
  look,
  modeOf,
  part,
  projectOf,
  structured,
} from '../support/data/indexed.ts'
import { searchFrom } from '../support/data/similars.ts'
import type { Project } from '../support/factories.ts'
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
    const collectionId = await collectionOf(project)
    const isOwn = (each: { collectionId: number }) => each.collectionId === collectionId
    const state = (await searchIndexes.states()).find(isOwn)
    expect(state).toMatchObject({ state: 'valid' })
    expect(state?.bytes).toBeGreaterThan(50_000)
    expect(state?.recall?.recall).toBeGreaterThan(0.9)
    const scans = async () => (await partsOf(project))[0]?.scans ?? 0
    await expect.poll(scans, { timeout: 60_000 }).toBeGreaterThan(0)
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
    const [row] = await database.short.db
      .select({ own: sql<string>`current_setting('hnsw.ef_search')` })
      .from(oneRow)
    expect(row?.own).toBe('40')
  })
})
