import { note } from '../../test/shared/time.ts'
import { type Project, uploadItems, upTo } from '../api.ts'
import { createGenerator, textIdAt, toBase64 } from '../data.ts'
import { collectionOf, type Sql, settle } from '../database.ts'
import type { Shapes } from './cluster.ts'

export const dimensions = 384
export const generator = createGenerator(dimensions)
const batch = 1_000

/** Of the same names in all shapes, half of them on each worker: how chance would place so few is not what is measured. */
export async function createProjects(
  shapes: Shapes,
  kind: string,
  count: number,
): Promise<Project[]> {
  const chosen: Project[] = []
  const on = new Map<number, number>()
  for (let at = 0; chosen.length < count; at += 1) {
    const create = shapes.map(({ owner }) => owner.createProject(`${kind}-${at}`, dimensions))
    const [, , ofTwo] = await Promise.all(create)
    if (ofTwo === undefined) continue
    const worker = await workerOf(shapes[2].sql, ofTwo)
    const already = on.get(worker) ?? 0
    if (already >= count / 2) continue
    on.set(worker, already + 1)
    chosen.push(ofTwo)
  }
  return chosen
}

async function workerOf(sql: Sql, { projectId }: Project): Promise<number> {
  const collection = await collectionOf(sql, projectId)
  const [row] = await sql.unsafe(`select groupid from pg_dist_placement
    where shardid = get_shard_id_for_distribution_column('embeddings', ${collection}::bigint)`)
  return Number(row?.['groupid'])
}

/** Uploads so many embeddings to each, the same ones in all shapes. */
export async function fill(shapes: Shapes, projects: readonly Project[], vectors: number) {
  for (const [at, project] of projects.entries()) {
    for (let from = 0; from < vectors; from += batch) {
      const indexes = upTo(Math.min(batch, vectors - from)).map((i) => at * vectors + from + i)
      const body = uploadOf(project, indexes, textIdAt)
      for (const { owner } of shapes) await owner.upload(project, body)
    }
  }
  for (const { name, sql } of shapes) {
    await settle(sql)
    note(`citus: ${name}: ${projects.length} projects of ${vectors} × ${dimensions}`)
  }
  await warnIfTooLarge(shapes[0].sql)
}

/** The first worker has twice what the other one has, and would read it again at each turn. */
async function warnIfTooLarge(firstWorker: Sql): Promise<void> {
  const [row] = await firstWorker.unsafe(`select sum(pg_database_size(oid)) as bytes,
      pg_size_bytes(current_setting('shared_buffers')) as buffers
    from pg_database where datname like 'semblance\\_bench\\_%'`)
  const [bytes, buffers] = [Number(row?.['bytes']), Number(row?.['buffers'])]
  if (bytes <= buffers) return
  const [needed, given] = [bytes, buffers].map((each) => `${Math.ceil(each / 2 ** 20)} MB`)
  note(
    `citus: worker 1 holds ${needed} and has ${given} of shared_buffers: figures are of its disk cache`,
  )
}

export const uploadOf = (
  project: Project,
  indexes: readonly number[],
  textIdOf: (index: number) => string,
) => `{"embeddings":[${uploadItems(project, generator, indexes, textIdOf, toBase64).join(',')}]}`
