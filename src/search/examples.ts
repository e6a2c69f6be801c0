import { and, eq, sql } from 'drizzle-orm'
import type { Project, ProjectWithCollection } from '../access/project.ts'
import { inCollection } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { sentVector } from '../db/pgvector.ts'
import { embeddings } from '../db/schema.ts'
import { noSuchEmbedding } from '../embeddings/read.ts'
import { badRequest } from '../errors.ts'
import { receivedVector } from '../vectors/encoding.ts'
import { toFloat32, type VectorElements } from '../vectors/float32.ts'
import { storedAmong } from './listed.ts'
import { unitOf } from './memory/float-rows.ts'
import type { Example, Examples } from './options.ts'

/** A shorter sum of unit vectors is rounding noise. */
const minLength = 1e-6

/**
 * The query that examples make: the mean of the unit vectors that it is to be like minus the mean of
 * those that it is to be unlike.
 * @throws 404 for a text_id that is not stored, 400 for a vector that does not fit the project, and
 *   if nothing is left
 */
export async function vectorOfExamples(
  db: Db,
  project: ProjectWithCollection,
  { like, unlike }: Examples,
): Promise<Float32Array> {
  const textIds = textIdsOf({ like, unlike })
  const dimensions = project.instance?.dimensions ?? project.collection.dimensions ?? 0
  const stored = await storedVectors(db, project, textIds, dimensions)
  const vectorOf = ({ what, place }: Example) =>
    typeof what === 'string' ? stored(what) : requireVector(project, what, place)
  const sum = new Float64Array(dimensions)
  const add = (example: Example, weight: number) => {
    const { components } = unitOf(vectorOf(example))
    for (let at = 0; at < dimensions; at += 1)
      sum[at] = (sum[at] ?? 0) + weight * (components[at] ?? 0)
  }
  for (const example of like) add(example, 1 / like.length)
  for (const example of unlike) add(example, -1 / unlike.length)
  const length = Math.hypot(...sum)
  if (length < minLength) {
    throw badRequest('like and unlike cancel each other out: no direction is left to search in')
  }
  return Float32Array.from(sum, (component) => component / length)
}

/** The stored embeddings among examples. */
export const textIdsOf = ({ like, unlike }: Examples): string[] =>
  [...like, ...unlike].flatMap(({ what }) => (typeof what === 'string' ? [what] : []))

/**
 * Reads the vectors of stored embeddings.
 * @throws 404 if one is not stored, or has other dimensions
 */
export async function storedVectors(
  db: Db,
  project: Project,
  textIds: readonly string[],
  dimensions?: number,
): Promise<(textId: string) => Float32Array> {
  const ofThese = dimensions === undefined ? undefined : eq(embeddings.vectorDim, dimensions)
  const fits = and(inCollection(project.collectionId), ofThese)
  const vector = sentVector(embeddings.vector)
  const { listed, stored } = storedAmong(db, JSON.stringify(textIds), vector, fits)
  const select = db.select({ id: stored.id, vector: stored.value }).from(listed)
  const rows = textIds.length === 0 ? [] : await select.innerJoinLateral(stored, sql`true`)
  const found = new Map(rows.map(({ id, vector }) => [id, vector]))
  const missing = textIds.find((textId) => !found.has(textId))
  if (missing !== undefined) throw noSuchEmbedding(project, [missing])
  return (textId) => receivedVector(found.get(textId) ?? '')
}

/**
 * @param place where it stands in the request
 * @throws 400 if the project has no instance or the vector does not fit it
 */
export function requireVector(
  { owner, handle, instance }: ProjectWithCollection,
  elements: VectorElements,
  place = 'vector',
): Float32Array {
  if (instance === undefined) {
    throw badRequest(
      `Project '${owner}/${handle}' has no LLM service instance to search by vector with`,
    )
  }
  const { dimensions } = instance
  if (elements.length !== dimensions) {
    throw badRequest(
      `${place} dimension mismatch: expected ${dimensions} dimensions, got ${elements.length}`,
    )
  }
  const float32 = toFloat32(elements)
  if (typeof float32 === 'string') throw badRequest(`${place}: ${float32}`)
  return float32
}
