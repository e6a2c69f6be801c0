import { median } from '../../test/shared/percentiles.ts'
import { note } from '../../test/shared/time.ts'
import { createOwner, type Owner, type Project } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator, textIdAt } from '../data.ts'
import { load, type Sql, settle, withDatabase } from '../database.ts'
import { judge } from '../report.ts'
import { databaseSettings, noIndexes, withServer } from '../server.ts'

const dimensions = 384
/** The gospels and a large project, with the seconds that each may take. */
const sizes = [
  { vectors: 3_779, atMost: 3, rounds: 3 },
  { vectors: 30_000, atMost: 60, rounds: 1 },
]
/** Of the other ways, which would take hours on all. */
const sample = 100
const k = 10

/** The neighbours of everything, beside a search from each and the best statement by hand. */
export async function allNeighbours(bench: PostgresBench): Promise<void> {
  const { report, databaseServer, plan } = bench
  const { runtime } = plan
  for (const { vectors, atMost, rounds } of sizes) {
    note(`all neighbours: ${vectors} × ${dimensions}`)
    await withDatabase(databaseServer, (database, sql) =>
      withServer(runtime, { ...databaseSettings(database), ...noIndexes }, async (server) => {
        const owner = await createOwner(server)
        const project = await owner.createProject('all', dimensions)
        const { vectorAt } = createGenerator(dimensions)
        const collectionId = await load(sql, project.projectId, vectors, vectorAt)
        await settle(sql)
        const seconds: number[] = []
        for (let round = 0; round < rounds; round += 1) {
          seconds.push(await secondsFor(() => askForAll(owner, project, vectors)))
        }
        const value = median(seconds)
        const ids = Array.from({ length: sample }, (_, at) =>
          textIdAt(Math.floor((at * vectors) / sample)),
        )
        const times = vectors / sample
        report.add('all neighbours', {
          project: `${vectors} × ${dimensions}`,
          seconds: value,
          'one search each, s': times * (await secondsFor(() => searchEach(owner, project, ids))),
          'lateral join, s': times * (await secondsFor(() => joinLateral(sql, collectionId, ids))),
          'peak RSS MB': server.memory().peak,
          target: judge({ name: 'seconds', value, atMost }),
        })
      }),
    )
  }
}

async function secondsFor(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1_000
}

async function askForAll({ server, key }: Owner, { similars }: Project, vectors: number) {
  const response = await fetch(`${server.url}${similars}/neighbours`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ k, threshold: 0 }),
  })
  const lines = (await response.text()).trimEnd().split('\n')
  const last = JSON.parse(lines.at(-1) ?? '{}')
  if (last.embeddings !== vectors) throw new Error(`all neighbours: ${lines.at(-1)}`)
}

async function searchEach(owner: Owner, { similars }: Project, ids: readonly string[]) {
  for (const id of ids) await owner.search(`${similars}/${id}?limit=${k}&threshold=0`)
}

async function joinLateral(sql: Sql, collectionId: number, ids: readonly string[]) {
  await sql`
    select one.text_id, other.* from embeddings one cross join lateral (
      select text_id, 1 - (vector <=> one.vector) as similarity from embeddings
      where collection_id = ${collectionId} and text_id <> one.text_id
      order by vector <=> one.vector, text_id limit ${k}
    ) other
    where one.collection_id = ${collectionId} and one.text_id in ${sql(ids)}`
}
