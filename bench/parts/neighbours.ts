import { note } from '../../test/shared/time.ts'
import { createOwner } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator, textIdAt } from '../data.ts'
import { countEmbeddings, load, type Sql, settle, withDatabase } from '../database.ts'
import { alternate, withLoad } from '../load.ts'
import { judge } from '../report.ts'
import { databaseSettings, noIndexes, withServer } from '../server.ts'
import { searchesById } from './besides.ts'

const own = [
  { handle: 'small', vectors: 2_000, dimensions: 384 },
  { handle: 'large', vectors: 10_000, dimensions: 1536 },
]
const otherVectors = 1_000

/** The same projects in two databases, in one of them beside many others, measured in alternation. */
export async function neighbours(bench: PostgresBench): Promise<void> {
  note(`neighbours: ${bench.plan.otherProjects} other projects of ${otherVectors} × 384`)
  await withProjects(bench, 0, (alone) =>
    withProjects(bench, bench.plan.otherProjects, async (crowded) => {
      for (const [index, { vectors, dimensions }] of own.entries()) {
        const jobs = [alone[index], crowded[index]]
        const [first, second] = jobs
        if (first === undefined || second === undefined) continue
        const [calm, beside] = await withLoad(first, (one) =>
          withLoad(second, (other) => alternate([one, other], 1, bench.plan)),
        )
        if (calm === undefined || beside === undefined) continue
        const value = beside.p50 / calm.p50
        bench.report.add('neighbours', {
          project: `${vectors} × ${dimensions}`,
          others: `${bench.plan.otherProjects} of ${otherVectors} × 384`,
          'alone p50 ms': calm.p50,
          'p50 ms': beside.p50,
          'p50 ÷ alone': value,
          target: judge({ name: 'p50 ÷ alone', value, atMost: 1.1 }),
        })
      }
    }),
  )
}

type Jobs = readonly ReturnType<typeof searchesById>[]

async function withProjects(
  { plan: { runtime }, databaseServer }: PostgresBench,
  others: number,
  use: (jobs: Jobs) => Promise<void>,
): Promise<void> {
  await withDatabase(databaseServer, async (database, sql) => {
    await withServer(runtime, { ...databaseSettings(database), ...noIndexes }, async (server) => {
      const owner = await createOwner(server)
      const jobs = []
      for (const { handle, vectors, dimensions } of own) {
        const project = await owner.createProject(handle, dimensions)
        const collectionId = await load(
          sql,
          project.projectId,
          vectors,
          createGenerator(dimensions).vectorAt,
        )
        const stored = Array.from({ length: 50 }, (_, at) => (at * vectors) / 50)
        // Exact, because it is about storage: an index would hide it.
        jobs.push(searchesById({ owner, project, stored }, '?threshold=0&exact=true'))
        if (handle === 'small') await addOthers(sql, collectionId, others)
      }
      await settle(sql)
      await use(jobs)
    })
  })
}

/** Copies the first embeddings of a project to many others: what lies beside counts, not its values. */
async function addOthers(sql: Sql, collectionId: number, others: number): Promise<void> {
  await sql.unsafe(`insert into collections (vectors) select 0 from generate_series(1, ${others})`)
  await sql.unsafe(`insert into projects (owner_id, project_handle, instance_id, collection_id)
    select p.owner_id, 'other-' || c.collection_id, p.instance_id, c.collection_id
    from projects p, collections c where p.collection_id = ${collectionId}
      and not exists (select from projects q where q.collection_id = c.collection_id)`)
  await sql.unsafe(`insert into embeddings (collection_id, text_id, vector_dim, vector, metadata, text)
    select projects.collection_id, text_id, vector_dim, vector, metadata, text
    from projects, embeddings
    where project_handle like 'other-%' and embeddings.collection_id = ${collectionId}
      and text_id < '${textIdAt(otherVectors)}'
    order by projects.collection_id, text_id`)
  await countEmbeddings(sql)
}
