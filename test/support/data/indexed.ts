import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { historyOf } from '../../../src/db/history.ts'
import { collections, projects, users } from '../../../src/db/schema.ts'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { testApp } from '../app.ts'
import { embedding, newProject, type Project, upload } from '../factories.ts'
import { waitUntil } from '../wait.ts'

export interface Document {
  readonly text_id: string
  readonly vector: readonly number[]
  readonly metadata?: object
}

/** Looks after the indexes, in turn with the test files that run beside this one. */
export async function look(): Promise<void> {
  const { searchIndexes } = await testApp()
  await waitUntil(() => searchIndexes.reconcile())
}

/** One look sees that a project has grown, the next that it rests. */
export async function lookTwice(): Promise<void> {
  await look()
  await look()
}

/** A project with these documents and, when there are enough of them, an index. */
export async function projectOf(
  documents: readonly Document[],
  fields: object = {},
): Promise<Project> {
  const dimensions = documents[0]?.vector.length
  const project = await newProject(fields, { dimensions })
  await add(project, documents)
  await lookTwice()
  return project
}

export async function add(project: Project, documents: readonly Document[]): Promise<void> {
  const dimensions = documents[0]?.vector.length ?? 1
  const atOnce = Math.min(1_000, Math.ceil(200_000 / dimensions))
  for (let start = 0; start < documents.length; start += atOnce) {
    const batch = documents.slice(start, start + atOnce)
    await upload(
      project,
      ...batch.map(({ text_id, vector, metadata }) =>
        embedding(text_id, [...vector], { metadata }),
      ),
    )
  }
}

/**
 * Vectors with the structure of embeddings: clusters in a space of few dimensions, a mean that all
 * share, and noise; some of them equal, as texts are that stand word for word in two places.
 */
export function structured(count: number, dimensions: number, seed = 1): Document[] {
  const random = randomNumbers(seed * 1_000_003 + dimensions)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const rank = Math.min(dimensions, 24)
  const axes = Array.from({ length: rank + 1 }, () => Array.from({ length: dimensions }, normal))
  const centres = Array.from({ length: Math.ceil(count / 40) }, () => axes.map(normal))
  const vectors: number[][] = []
  for (let index = 0; index < count; index += 1) {
    const repeated = random() < 0.02 ? vectors[Math.floor(random() * index)] : undefined
    const centre = centres[Math.floor(random() * centres.length)] ?? []
    const weights = centre.map((weight, axis) => (axis === rank ? 2 : weight + 0.7 * normal()))
    vectors.push(repeated ?? combined(axes, weights, normal))
  }
  return vectors.map((vector, index) => ({
    text_id: `${['z', 'A', 'é', '😀'][index % 4]}${index}`,
    vector,
    metadata: { ref: { book: `book ${index % 7}` } },
  }))
}

function combined(axes: readonly number[][], weights: readonly number[], noise: () => number) {
  const [first = []] = axes
  return first.map((_, column) => {
    let value = 0.5 * noise()
    for (const [axis, weight] of weights.entries()) value += weight * (axes[axis]?.[column] ?? 0)
    return Math.fround(value)
  })
}

/**
 * Few and long vectors, of which an index is built quickly: 20 parts are within the budget of the tests,
 * 21 are not.
 */
export const part = 5
export const longDimensions = 4_800 / part

/** The collection of a project now; undefined when it is gone. */
export async function storedCollection({ owner, handle }: Project) {
  const { database } = await testApp()
  const [found] = await database.short.db
    .select({ ...getTableColumns(collections), history: historyOf(collections) })
    .from(projects)
    .innerJoin(users, eq(users.userId, projects.ownerId))
    .innerJoin(collections, eq(collections.collectionId, projects.collectionId))
    .where(and(eq(users.handle, owner.handle), eq(projects.handle, handle)))
  return found
}

/** What the embeddings of a project are filed under now. */
export const collectionOf = async (project: Project): Promise<number> =>
  ((await storedCollection(project)) ?? expect.fail(`${project.handle} is gone`)).collectionId

/** The names of the indexes that projects have, by the catalog. */
export async function indexNames(): Promise<string[]> {
  const { database } = await testApp()
  const rows = await database.short.db
    .select({ name: sql<string>`relname` })
    .from(sql`pg_class`)
    .where(sql`relkind = 'i' and relname like 'embeddings\\_hnsw\\_%'`)
  return rows.map(({ name }) => name)
}

export const modeOf = ({ headers }: { headers: Headers }) => {
  const mode = headers.get('x-search-mode')
  expect(mode).toMatch(/^(exact|approximate)$/)
  return mode
}
