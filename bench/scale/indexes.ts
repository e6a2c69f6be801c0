import postgres from 'postgres'
import { createOwner } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator, textIdAt } from '../data.ts'
import { load, type Sql, settle, withDatabase } from '../database.ts'
import { databaseSettings, noIndexes, withServer } from '../server.ts'
import { undoing } from '../undo.ts'
import { medianMs, numberOf, planningMs } from './measures.ts'

const [dimensions, rows, runs] = [64, 10, 50]

/** What many partial indexes on the one table cost those that use none of them. */
export async function measureIndexes(
  { plan, report, databaseServer }: PostgresBench,
  counts: readonly number[],
): Promise<void> {
  await withDatabase(databaseServer, async (database, sql) => {
    const collection = await withServer(
      plan.runtime,
      { ...databaseSettings(database), ...noIndexes },
      async (server) => {
        const owner = await createOwner(server)
        const { projectId } = await owner.createProject('model', dimensions)
        return load(sql, projectId, rows, createGenerator(dimensions).vectorAt)
      },
    )
    await addCollections(sql, collection, Math.max(...counts))
    let [built, catalog] = [0, await catalogBytes(sql)]
    for (const count of counts) {
      for (let at = built; at < count; at += 1) await buildSmall(sql, collection + 1 + at)
      const grown = (await catalogBytes(sql)) - catalog
      const added = count - built
      built = count
      catalog += grown
      await settle(sql)
      report.add('scale: indexes on one table', {
        indexes: count,
        ...(await onNewConnection(database, (own) => costs(own, collection))),
        'catalog bytes an index': added === 0 ? undefined : grown / added,
      })
    }
  })
}

/** Of statements on a collection without an index. */
async function costs(sql: Sql, collection: number) {
  const where = `where collection_id = ${collection}`
  const read = `select metadata from embeddings ${where} and text_id = '${textIdAt(1)}'`
  const planning = await planningMs(sql, runs, read)
  await sql.unsafe('set plan_cache_mode = force_generic_plan')
  const prepared = () =>
    sql.unsafe(
      'select metadata from embeddings where collection_id = $1 and text_id = $2',
      [collection, textIdAt(1)],
      {
        prepare: true,
      },
    )
  const readMs = await medianMs(runs * 4, prepared)
  const insertMs = await medianMs(runs, (run) =>
    sql.unsafe(`insert into embeddings (collection_id, text_id, vector_dim, vector)
      select collection_id, 'run ${run} ' || text_id, vector_dim, vector from embeddings ${where}
      and text_id not like 'run %'`),
  )
  await sql.unsafe(`delete from embeddings ${where} and text_id like 'run %'`)
  return {
    'first plan of a connection ms': planning.first,
    'plan ms': planning.median,
    'read by id, planned once, ms': readMs,
    'insert of 10 ms': insertMs,
    'MB of the connection':
      (await numberOf(sql, '(select sum(total_bytes) from pg_backend_memory_contexts)')) / 2 ** 20,
  }
}

async function onNewConnection<T>(database: string, use: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(database, { max: 1, fetch_types: false, onnotice: () => {} })
  return undoing(
    () => sql.end({ timeout: 5 }),
    () => use(sql),
  )
}

/** Further collections with the rows of this one. */
async function addCollections(sql: Sql, collection: number, count: number): Promise<void> {
  await sql.unsafe(`insert into collections (collection_id, vectors) overriding system value
    select ${collection} + at, ${rows} from generate_series(1, ${count}) as at`)
  await sql.unsafe(`insert into embeddings (collection_id, text_id, vector_dim, vector, metadata, text)
    select ${collection} + at, text_id, vector_dim, vector, metadata, text
    from embeddings, generate_series(1, ${count}) as at where collection_id = ${collection}`)
}

const buildSmall = (sql: Sql, collection: number) =>
  sql.unsafe(`create index embeddings_hnsw_${collection}_halfvec_l2_${dimensions} on embeddings
    using hnsw ((l2_normalize(vector)::halfvec(${dimensions})) halfvec_l2_ops)
    where collection_id = ${collection} and vector_dim = ${dimensions}`)

const catalogBytes = (sql: Sql) =>
  numberOf(
    sql,
    `(select sum(pg_total_relation_size(oid)) from pg_class
      where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r')`,
  )
