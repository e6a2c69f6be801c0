import { type Owner, type Project, uploadBody } from '../api.ts'
import type { Target } from '../bare.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator, type Generator } from '../data.ts'
import { load, type Sql, settle } from '../database.ts'
import type { SearchSize } from '../plan.ts'
import { createTruth, type Truth } from '../truth.ts'

/** A project that is searched, and all that is known of it. */
export interface Scene {
  readonly owner: Owner
  readonly project: Project
  readonly target: Target
  readonly generator: Generator
  readonly truth: Truth
  /** Embeddings of the project. */
  readonly stored: readonly number[]
  /** Vectors that are not stored. */
  readonly others: readonly number[]
}

export async function setScene(
  { plan }: PostgresBench,
  { vectors, dimensions }: SearchSize,
  owner: Owner,
  database: string,
  sql: Sql,
): Promise<Scene> {
  const project = await owner.createProject('searched', dimensions)
  const generator = createGenerator(dimensions)
  const spread = (_: unknown, at: number) => Math.floor(((at + 0.5) * vectors) / plan.queries)
  const stored = Array.from({ length: plan.queries }, spread)
  const others = Array.from({ length: plan.queries }, (_, at) => vectors + at)
  const truth = createTruth(generator, [...stored, ...others])
  const seen = (index: number) => {
    const vector = generator.vectorAt(index)
    truth.see(index, vector)
    return vector
  }
  // The last one by way of the API: what is loaded by SQL alone the service need not notice.
  const last = vectors - 1
  const collectionId = await load(sql, project.projectId, last, seen)
  seen(last)
  await owner.upload(project, uploadBody(project, generator, [last]))
  await settle(sql)
  const target = { database, collectionId, vectors, dimensions }
  return { owner, project, target, generator, truth, stored, others }
}
