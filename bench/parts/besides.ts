import { bareSearch, type Mode, type Queries } from '../bare.ts'
import { answersOf } from '../clients/sql.ts'
import { textIdAt, toJson } from '../data.ts'
import { leastEffort } from '../effort.ts'
import { mean } from '../figures.ts'
import type { HttpJob } from '../jobs.ts'
import { type Load, withLoad } from '../load.ts'
import type { Scene } from './scene.ts'

/** Lets `use` have both: the service, and the database doing the same alone. */
export async function besides(
  scene: Scene,
  by: 'id' | 'vector',
  query: string,
  mode: Mode,
  filtered: boolean,
  use: (http: Load, bare: Load, efSearch: number | undefined) => Promise<void>,
): Promise<void> {
  const vectors = scene.others.map((index) => scene.generator.vectorAt(index))
  const queries =
    by === 'id' ? { ids: scene.stored.map(textIdAt) } : { vectors: vectors.map(toJson) }
  const efSearch = mode === 'exact' ? undefined : await bareEffort(scene, by, queries, filtered)
  const bareJob = bareSearch(scene.target, queries, efSearch, filtered)
  const httpJob = by === 'id' ? searchesById(scene, query) : searchesByVector(scene, vectors, query)
  await withLoad(httpJob, (http) => withLoad(bareJob, (bare) => use(http, bare, efSearch)))
}

/** What somebody would choose who has tried: the least that finds enough of these queries. */
async function bareEffort(
  { target, truth, stored, others }: Scene,
  by: 'id' | 'vector',
  queries: Queries,
  filtered: boolean,
): Promise<number> {
  const indexes = by === 'id' ? stored : others
  const { efSearch } = await leastEffort(async (tried) => {
    const answers = await answersOf(bareSearch(target, queries, tried, filtered))
    return mean(indexes.map((index, at) => truth.recall(index, answers[at] ?? [], filtered)))
  })
  return efSearch
}

export const searchesById = (
  { owner, project, stored }: Pick<Scene, 'owner' | 'project' | 'stored'>,
  query: string,
): HttpJob =>
  searches(
    owner,
    stored.map((index) => ({
      method: 'GET',
      path: `${project.similars}/${textIdAt(index)}${query}`,
    })),
  )

export const vectorBody = (vector: Float32Array) => `{"vector":${toJson(vector)}}`

export const searchesByVector = (
  { owner, project }: Scene,
  vectors: readonly Float32Array[],
  query: string,
): HttpJob =>
  searches(
    owner,
    vectors.map((vector) => ({
      method: 'POST',
      path: project.similars + query,
      body: Buffer.from(vectorBody(vector)),
    })),
  )

const searches = ({ server, key }: Scene['owner'], requests: HttpJob['requests']): HttpJob => ({
  kind: 'http',
  url: server.url,
  key,
  expected: 200,
  requests,
})
