import { note } from '../../test/shared/time.ts'
import { createOwner, uploadBody } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator, textIdAt } from '../data.ts'
import { load, type Sql, settle, withDatabase } from '../database.ts'
import { mean } from '../figures.ts'
import { alternate, withLoad } from '../load.ts'
import { judge } from '../report.ts'
import { databaseSettings, withServer } from '../server.ts'
import { searchesById } from './besides.ts'
import { settledMode } from './index-wait.ts'

const dimensions = 384
const shares = [0.9, 0.5, 0.1, 0.01, 0.001]
/** What a filter keeps: any embeddings, the nearest to those that are searched for, or the furthest. */
const kinds = ['independent', 'correlated', 'opposed'] as const

/** Searches with filters of several selectivities beside the same searches without, by id, one client. */
export async function filters(bench: PostgresBench): Promise<void> {
  for (const vectors of bench.plan.filters) {
    note(`filters: ${vectors} × ${dimensions}`)
    await withDatabase(bench.databaseServer, async (database, sql) => {
      await withServer(databaseSettings(database), async (server) => {
        const owner = await createOwner(server)
        const project = await owner.createProject('filtered', dimensions)
        const generator = createGenerator(dimensions)
        const last = vectors - 1
        const collectionId = await load(sql, project.projectId, last, generator.vectorAt)
        const near = await placeAll(sql, collectionId, textIdAt(1))
        await owner.upload(project, uploadBody(project, generator, [last]))
        await settle(sql)
        const search = (textId: string, query: string) =>
          owner.search(`${project.similars}/${textId}?threshold=0${query}`)
        await settledMode(vectors * dimensions, sql, () => search(textIdAt(1), ''))
        const any = Array.from({ length: 50 }, (_, at) => Math.floor((at * last) / 50))
        for (const kind of kinds) {
          const stored = kind === 'independent' ? any : near
          for (const share of shares) {
            const filter = { [`${kind}.${share * 1_000}`]: true }
            const query = `&filter=${encodeURIComponent(JSON.stringify(filter))}`
            const recalls = []
            for (const index of stored) {
              const found = await search(textIdAt(index), query)
              const truth = await search(textIdAt(index), `${query}&exact=true`)
              const right = truth.ids.filter((id) => found.ids.includes(id)).length
              recalls.push(truth.ids.length === 0 ? 1 : right / truth.ids.length)
            }
            const scene = { owner, project, stored }
            const [plain, filtered] = await withLoad(searchesById(scene, '?threshold=0'), (one) =>
              withLoad(searchesById(scene, `?threshold=0${query}`), (other) =>
                alternate([one, other], 1, bench.plan),
              ),
            )
            if (plain === undefined || filtered === undefined) continue
            const value = filtered.p50 / plain.p50
            const recall = mean(recalls)
            bench.report.add('filters', {
              project: `${vectors} × ${dimensions}`,
              filter: `${share * 100} %, ${kind}`,
              'unfiltered p50 ms': plain.p50,
              'p50 ms': filtered.p50,
              'p50 ÷': value,
              'recall@10': recall,
              target: judge(
                { name: 'p50 ÷ unfiltered', value, atMost: 1.5 },
                { name: 'recall@10', value: recall, atLeast: 0.99 },
              ),
            })
          }
        }
      })
    })
  }
}

/**
 * Gives embeddings their metadata, before there is an index.
 * @returns the numbers of those that are nearest to one
 */
async function placeAll(sql: Sql, collectionId: number, pivot: string): Promise<number[]> {
  const flags = (holds: (share: number) => string) =>
    `jsonb_build_object(${shares.map((share) => `'${share * 1_000}', ${holds(share)}`).join()})`
  await sql.unsafe(`update embeddings set metadata = jsonb_build_object(
      'independent', ${flags((share) => `random() < ${share}`)},
      'correlated', ${flags((share) => `place < ${share}`)},
      'opposed', ${flags((share) => `place >= ${1 - share}`)})
    from (
      select e.text_id as id, percent_rank() over (order by e.vector <=> p.vector) as place
      from embeddings e, embeddings p
      where e.collection_id = ${collectionId} and p.collection_id = ${collectionId}
        and p.text_id = '${pivot}') as placed
    where collection_id = ${collectionId} and text_id = placed.id`)
  const rows = await sql.unsafe(`select e.text_id as id from embeddings e, embeddings p
    where e.collection_id = ${collectionId} and p.collection_id = ${collectionId}
      and p.text_id = '${pivot}'
    order by e.vector <=> p.vector limit 25`)
  return rows.map(({ id }) => Number(/\d+/.exec(String(id))?.[0]))
}
