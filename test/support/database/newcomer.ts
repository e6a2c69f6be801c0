import { sql } from 'drizzle-orm'
import { startOwnService } from '../servers/own-service.ts'

/** Collections that the statistics know, of 1,000 vectors each, and one that was uploaded since. */
export const known = 12
export const newcomer = known + 1
export const dimensions = 32
export const vectors = 20_000

/** @param metadata SQL for what the embedding with the number `i` has */
export async function startWithNewcomer(metadata: string) {
  const service = await startOwnService()
  const execute = (text: string) => service.database.maintenance.db.execute(sql.raw(text))
  const insert = (from: number, to: number, rows: number, length: number) =>
    execute(`insert into embeddings (collection_id, vector_dim, text_id, vector, metadata)
      select collection, ${length}, 't' || i,
        (select array_agg(random()) from generate_series(1, ${length}) where i > 0)::vector, ${metadata}
      from generate_series(${from}, ${to}) as collection, generate_series(1, ${rows}) as i`)
  await execute('alter table embeddings set (autovacuum_enabled = false)')
  await execute(`insert into collections select from generate_series(1, ${newcomer})`)
  await insert(1, known, 1_000, 16)
  await execute('analyze embeddings')
  await insert(newcomer, newcomer, vectors, dimensions)
  return service
}
