import { and, asc, eq, exists, gt, ne, or, sql } from 'drizzle-orm'
import { inCollection, inRange } from '../../collections/keys.ts'
import type { Db } from '../../db/database.ts'
import { collections, embeddings, instances, projects, users } from '../../db/schema.ts'

/** A scheme has at most 64 KiB. */
const projectsAtOnce = 100
/** Small, so that nobody waits long on the embedded engine, which runs one statement at a time. */
export const rowsAtOnce = 500
/** Metadata has at most 256 KiB. */
export const metadataAtOnce = 50

export type CheckedProject = Awaited<ReturnType<typeof projectsAfter>>[number]

const projectsAfter = (db: Db, projectId: number) =>
  db
    .select({
      projectId: projects.projectId,
      collectionId: projects.collectionId,
      project: { owner: users.handle, project_handle: projects.handle },
      scheme: projects.metadataScheme,
      recorded: { vectors: collections.vectors, dimensions: collections.dimensions },
    })
    .from(projects)
    .innerJoin(users, eq(users.userId, projects.ownerId))
    .innerJoin(collections, eq(collections.collectionId, projects.collectionId))
    .where(gt(projects.projectId, projectId))
    .orderBy(asc(projects.projectId))
    .limit(projectsAtOnce)

export async function* projectsToCheck(db: Db) {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const some: CheckedProject[] = await projectsAfter(db, last)
    yield* some
    last = some.length < projectsAtOnce ? undefined : some.at(-1)?.projectId
  }
}

/**
 * The recorded and the actual size of a project, as of one moment. Returns no row if the project
 * has another collection by now.
 */
export const sizesOf = (db: Db, { projectId, collectionId }: CheckedProject) => {
  const counted = db
    .select({ count: sql`count(*)` })
    .from(embeddings)
    .where(inCollection(collectionId))
  const first = db
    .select({ dimensions: sql`vector_dims(${embeddings.vector})` })
    .from(embeddings)
    .where(inCollection(collectionId))
    .orderBy(asc(embeddings.textId))
    .limit(1)
  return db
    .select({
      recorded: { vectors: collections.vectors, dimensions: collections.dimensions },
      found: {
        vectors: sql`(${counted})`.mapWith(Number),
        dimensions: sql<number | null>`(${first})`,
      },
    })
    .from(collections)
    .innerJoin(projects, eq(projects.collectionId, collections.collectionId))
    .where(and(eq(collections.collectionId, collectionId), eq(projects.projectId, projectId)))
}

/**
 * Of the next rows, finds those whose vector length differs from the stored dimensions or from the
 * dimensions of the project's current instance. Also returns the last text_id of these rows, from
 * which to continue.
 */
export const wrongLengths = (
  db: Db,
  { projectId, collectionId }: CheckedProject,
  after: string,
) => {
  const page = db.$with('page').as(
    db
      .select({
        textId: embeddings.textId,
        vectorDim: embeddings.vectorDim,
        elements: sql<number>`vector_dims(${embeddings.vector})`.mapWith(Number).as('elements'),
      })
      .from(embeddings)
      .where(inRange(collectionId, { after }))
      .orderBy(asc(embeddings.textId))
      .limit(rowsAtOnce),
  )
  const instance = db
    .select({ dimensions: instances.dimensions })
    .from(projects)
    .innerJoin(instances, eq(instances.instanceId, projects.instanceId))
    .where(eq(projects.projectId, projectId))
  const { textId, vectorDim, elements } = page
  return db
    .with(page)
    .select({
      textId,
      vectorDim,
      elements,
      dimensions: sql<number | null>`(${instance})`,
      read: sql`(select count(*) from ${page})`.mapWith(Number),
    })
    .from(page)
    .where(
      or(
        ne(elements, vectorDim),
        ne(elements, sql`(${instance})`),
        eq(textId, sql`(select max(${textId}) from ${page})`),
      ),
    )
    .orderBy(asc(textId))
}

/** Nothing if the project has another scheme by now, or has let go of the collection. */
export const nextMetadata = (
  db: Db,
  { projectId, collectionId, scheme }: CheckedProject,
  after: string,
) => {
  const unchanged = db
    .select({ projectId: projects.projectId })
    .from(projects)
    .where(
      and(
        eq(projects.projectId, projectId),
        eq(projects.collectionId, collectionId),
        sql`${projects.metadataScheme} is not distinct from ${scheme}::text`,
      ),
    )
  return db
    .select({
      textId: embeddings.textId,
      json: sql<string>`coalesce(${embeddings.metadata}::text, '{}')`,
    })
    .from(embeddings)
    .where(and(inRange(collectionId, { after }), exists(unchanged)))
    .orderBy(asc(embeddings.textId))
    .limit(metadataAtOnce)
}
