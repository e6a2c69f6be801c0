import { and, asc, count, eq, gt, isNotNull, sql } from 'drizzle-orm'
import { inCollection, isEmbedding } from '../../collections/keys.ts'
import type { Database, Db } from '../../db/database.ts'
import { collections, embeddings, instances, projects, users } from '../../db/schema.ts'

/** Small enough that on the embedded engine, which takes one statement at a time, nobody waits long. */
const chunkRows = 500
const chunkSchemes = 100
const chunkCollections = 200
/** Metadata above this many stored bytes are read one by one, to bound what a chunk takes in memory. */
const largeBytes = 4_096

interface Place {
  readonly collectionId: number
  readonly textId: string
}

type Row = Awaited<ReturnType<typeof chunkAfter>>[number]

/** An embedding of a project, without its vector. */
export interface StoredEmbedding extends Omit<Row, 'projectId' | 'owner' | 'handle'> {
  readonly projectId: number
  readonly owner: string
  readonly handle: string
}

/**
 * The embeddings of all projects without their vectors, a chunk after the other in the order of the primary key.
 * Each chunk is a statement of its own, among the searches: others get their turn in between.
 */
export async function* readEmbeddings(database: Database): AsyncGenerator<StoredEmbedding[]> {
  for await (const listed of listCollections(database)) {
    let left = listed.map(({ collectionId }) => collectionId)
    for (let after: Place | undefined = beginning; after !== undefined; ) {
      const rows: Row[] = await chunkAfter(database, left, after)
      const chunk = rows.flatMap(ofProject)
      if (chunk.length > 0) yield chunk
      const last = rows.at(-1)
      after = rows.length < chunkRows ? undefined : last
      left = left.filter((id) => id >= (last?.collectionId ?? 0) && !isLeftBehind(id, last))
    }
  }
}

const beginning = { collectionId: 0, textId: '' }

/** Nothing of what a project has left behind since it was listed. */
const ofProject = ({ projectId, owner, handle, ...row }: Row): StoredEmbedding[] =>
  projectId === null || owner === null || handle === null
    ? []
    : [{ ...row, projectId, owner, handle }]

/** It is not read to its end. */
const isLeftBehind = (collectionId: number, last: Row | undefined) =>
  last?.projectId === null && last.collectionId === collectionId

/**
 * A chunk of some collections with what its rows are to be held against, as of one moment: a project's scheme and
 * dimensions may change while a check runs.
 */
function chunkAfter(
  { search: { db: search } }: Database,
  collectionIds: readonly number[],
  after: Place,
) {
  const page = pageAfter(search, collectionIds, after)
  const isLarge = sql`${projects.metadataScheme} is not null and coalesce(pg_column_size(${page.metadata}), 0) > ${largeBytes}`
  return search
    .select({
      collectionId: page.collectionId,
      textId: page.textId,
      projectId: projects.projectId,
      owner: users.handle,
      handle: projects.handle,
      vectorDim: page.vectorDim,
      elements: page.elements,
      dimensions: instances.dimensions,
      isLarge: sql<boolean>`${isLarge}`,
      metadata: sql<Record<string, unknown> | null>`
        case when ${projects.metadataScheme} is not null and not (${isLarge}) then ${page.metadata} end
      `.mapWith(embeddings.metadata),
      /** With the first of a project's rows. */
      scheme: sql<string | null>`
        case when ${page.collectionId} is distinct from lag(${page.collectionId}) over (order by ${page.collectionId}, ${page.textId})
          then ${projects.metadataScheme} end`,
    })
    .from(page)
    .leftJoin(projects, eq(projects.collectionId, page.collectionId))
    .leftJoin(users, eq(users.userId, projects.ownerId))
    .leftJoin(instances, eq(instances.instanceId, projects.instanceId))
    .orderBy(asc(page.collectionId), asc(page.textId))
}

const pageAfter = (db: Db, collectionIds: readonly number[], { collectionId, textId }: Place) =>
  db
    .select({
      collectionId: embeddings.collectionId,
      textId: embeddings.textId,
      vectorDim: embeddings.vectorDim,
      elements: sql<number>`vector_dims(${embeddings.vector})`.mapWith(Number).as('elements'),
      metadata: embeddings.metadata,
    })
    .from(embeddings)
    .where(
      sql`${embeddings.collectionId} = any (${`{${collectionIds.join()}}`}::bigint[])
        and (${embeddings.collectionId}, ${embeddings.textId}) > (${collectionId}, ${textId})`,
    )
    .orderBy(asc(embeddings.collectionId), asc(embeddings.textId))
    .limit(chunkRows)
    .as('page')

/** @returns undefined when the embedding was deleted meanwhile */
export async function readMetadata(
  { search: { db: search } }: Database,
  { collectionId, textId }: Place,
) {
  const [row] = await search
    .select({ metadata: embeddings.metadata })
    .from(embeddings)
    .where(isEmbedding(collectionId, textId))
  return row?.metadata ?? undefined
}

/** All projects with a metadataScheme, a chunk after the other. */
export async function* readSchemes({ short: { db } }: Database) {
  for (let last = 0; ; ) {
    const chunk = await db
      .select({
        projectId: projects.projectId,
        owner: users.handle,
        handle: projects.handle,
        scheme: sql<string>`${projects.metadataScheme}`,
      })
      .from(projects)
      .innerJoin(users, eq(users.userId, projects.ownerId))
      .where(and(gt(projects.projectId, last), isNotNull(projects.metadataScheme)))
      .orderBy(asc(projects.projectId))
      .limit(chunkSchemes)
    yield* chunk
    if (chunk.length < chunkSchemes) return
    last = chunk.at(-1)?.projectId ?? last
  }
}

/** The collections of all projects with what is recorded of them, some at a time. */
export async function* listCollections({ short: { db } }: Database) {
  for (let last = 0; ; ) {
    const chunk = await db
      .select({
        collectionId: collections.collectionId,
        vectors: collections.vectors,
        dimensions: collections.dimensions,
        owner: users.handle,
        project_handle: projects.handle,
      })
      .from(collections)
      .innerJoin(projects, eq(projects.collectionId, collections.collectionId))
      .innerJoin(users, eq(users.userId, projects.ownerId))
      .where(gt(collections.collectionId, last))
      .orderBy(asc(collections.collectionId))
      .limit(chunkCollections)
    yield chunk
    if (chunk.length < chunkCollections) return
    last = chunk.at(-1)?.collectionId ?? last
  }
}

/** What is recorded of a collection and what there is, as of one moment. */
export async function recount({ search: { db: search } }: Database, collectionId: number) {
  const counted = search
    .select({ vectors: count() })
    .from(embeddings)
    .where(inCollection(collectionId))
  const sample = search
    .select({ dimensions: sql`vector_dims(${embeddings.vector})` })
    .from(embeddings)
    .where(inCollection(collectionId))
    .orderBy(asc(embeddings.textId))
    .limit(1)
  const [found] = await search
    .select({
      recorded: { vectors: collections.vectors, dimensions: collections.dimensions },
      vectors: sql`(${counted})`.mapWith(Number),
      dimensions: sql<number | null>`(${sample})`,
    })
    .from(collections)
    .where(eq(collections.collectionId, collectionId))
  return found
}

/** What the projects of collections are called. */
export async function readNames({ short: { db } }: Database, collectionIds: readonly number[]) {
  const rows = await db
    .select({
      collectionId: projects.collectionId,
      owner: users.handle,
      project_handle: projects.handle,
    })
    .from(projects)
    .innerJoin(users, eq(users.userId, projects.ownerId))
    .where(
      sql`${projects.collectionId} in (select jsonb_array_elements(${JSON.stringify(collectionIds)}::jsonb)::bigint)`,
    )
  return new Map(
    rows.map(({ collectionId, owner, project_handle }) => [
      collectionId,
      { owner, project_handle },
    ]),
  )
}
