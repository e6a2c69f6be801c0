import { createOwner, type Owner, type Project, uploadItems, upTo } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator, toBase64 } from '../data.ts'
import { collectionOf, type Sql, settle, withDatabase } from '../database.ts'
import { databaseSettings, noIndexes, withServer } from '../server.ts'
import { numberOf, secondsOf, written } from './measures.ts'
import { bytesInMemory } from './memory.ts'

const batch = 1_000

/** What a vector of so many dimensions takes: in the table, its indexes, the write-ahead log, and memory. */
export async function measureStorage(
  { plan, report, databaseServer }: PostgresBench,
  dimensions: number,
): Promise<void> {
  const { vectors } = plan.scale
  await withDatabase(databaseServer, (database, sql) =>
    withServer(plan.runtime, { ...databaseSettings(database), ...noIndexes }, async (server) => {
      const owner = await createOwner(server)
      const project = await owner.createProject('stored', dimensions)
      const upload = uploading(owner, project)
      await sql.unsafe('checkpoint')
      const uploaded = await written(sql, () => upload(0, vectors))
      await settle(sql)
      const table = await numberOf(sql, `pg_table_size('embeddings')`)
      const key = await numberOf(sql, `pg_relation_size('embeddings_collection_id_text_id_pk')`)
      const collection = await collectionOf(sql, project.projectId)
      const built = await written(sql, () => build(sql, collection, dimensions))
      const index = await numberOf(sql, `pg_relation_size('by_graph')`)
      const later = await written(sql, () => upload(vectors, vectors + batch))
      report.add('scale: bytes of a vector', {
        dimensions,
        vectors,
        table: table / vectors,
        'primary key': key / vectors,
        'search index': index / vectors,
        'WAL of its upload': uploaded.bytes / vectors,
        'WAL of the build': built.bytes / vectors,
        'WAL of an upload into the index': later.bytes / batch,
        'in memory': (await bytesInMemory(owner, project)) / (vectors + batch),
      })
      report.add('scale: time of a vector', {
        dimensions,
        vectors,
        'upload ms, one client': (uploaded.result * 1_000) / vectors,
        'upload into the index ms': (later.result * 1_000) / batch,
        'build s': built.result,
        'build ms': (built.result * 1_000) / vectors,
      })
    }),
  )
}

/**
 * Uploads those numbered from `first` to before `end`, a thousand in each request, one request after the other.
 * @returns the seconds that the requests took
 */
function uploading(owner: Owner, project: Project) {
  const generator = createGenerator(project.dimensions)
  const textIdOf = (index: number) => `t${index}`
  const bodyAt = (first: number) => {
    const indexes = upTo(batch).map((at) => first + at)
    return `{"embeddings":[${uploadItems(project, generator, indexes, textIdOf, toBase64).join(',')}]}`
  }
  return async (first: number, end: number) => {
    let took = 0
    for (let at = first; at < end; at += batch) {
      const body = bodyAt(at)
      took += await secondsOf(() => owner.upload(project, body))
    }
    return took
  }
}

/** The index of the collection, as the service builds it. @returns the seconds that it took */
async function build(sql: Sql, collectionId: number, dimensions: number): Promise<number> {
  await sql.unsafe(`set maintenance_work_mem = '1GB'`)
  await sql.unsafe('set min_parallel_table_scan_size = 0')
  return secondsOf(() =>
    sql.unsafe(`create index concurrently by_graph
      on embeddings using hnsw ((l2_normalize(vector)::halfvec(${dimensions})) halfvec_l2_ops)
      where collection_id = ${collectionId} and vector_dim = ${dimensions}`),
  )
}
