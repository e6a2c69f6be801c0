import { and, asc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { embeddings, instances, projects, users } from '../db/schema.ts'

/** Small enough that on the embedded engine, which takes one statement at a time, nobody waits long. */
const chunkRows = 500
const chunkSchemes = 100
/** Metadata above this many stored bytes are read one by one, to bound what a chunk takes in memory. */
const largeBytes = 4_096

export type StoredEmbedding = Awaited<ReturnType<typeof chunkAfter>>[number]

interface Place {
  readonly projectId: number
  readonly textId: string
}

/**
 * All embeddings without their vectors, a chunk after the other in the order of the primary key.
 * Each chunk is a statement of its own, among the searches: others get their turn in between.
 */
export async function* readEmbeddings(database: Database): AsyncGenerator<StoredEmbedding[]> {
  let last: Place = { projectId: 0, textId: '' }
  for (;;) {
    const chunk = await chunkAfter(database, last)
    if (chunk.length > 0) yield chunk
    if (chunk.length < chunkRows) return
    last = chunk.at(-1) ?? last
  }
}

/**
 * A chunk with what its rows are to be held against, as of one moment: a project's scheme and
 * dimensions may change while a check runs.
 */
function chunkAfter({ search: { db: search } }: Database, { projectId, textId }: Place) {
  const page = search
    .select({
      projectId: embeddings.projectId,
      textId: embeddings.textId,
      vectorDim: embeddings.vectorDim,
      elements: sql<number>`vector_dims(${embeddings.vector})`.mapWith(Number).as('elements'),
      metadata: embeddings.metadata,
    })
    .from(embeddings)
    .where(sql`(${embeddings.projectId}, ${embeddings.textId}) > (${projectId}, ${textId})`)
    .orderBy(asc(embeddings.projectId), asc(embeddings.textId))
    .limit(chunkRows)
    .as('page')
  const isLarge = sql`${projects.metadataScheme} is not null and coalesce(pg_column_size(${page.metadata}), 0) > ${largeBytes}`
  return search
    .select({
      projectId: page.projectId,
      textId: page.textId,
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
        case when ${page.projectId} is distinct from lag(${page.projectId}) over (order by ${page.projectId}, ${page.textId})
          then ${projects.metadataScheme} end`,
    })
    .from(page)
    .innerJoin(projects, eq(projects.projectId, page.projectId))
    .innerJoin(users, eq(users.userId, projects.ownerId))
    .leftJoin(instances, eq(instances.instanceId, projects.instanceId))
    .orderBy(asc(page.projectId), asc(page.textId))
}

/** @returns undefined when the embedding was deleted meanwhile */
export async function readMetadata(
  { search: { db: search } }: Database,
  { projectId, textId }: Place,
) {
  const [row] = await search
    .select({ metadata: embeddings.metadata })
    .from(embeddings)
    .where(and(eq(embeddings.projectId, projectId), eq(embeddings.textId, textId)))
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

/** What projects are called. */
export async function readNames({ short: { db } }: Database, projectIds: readonly number[]) {
  const rows = await db
    .select({ projectId: projects.projectId, owner: users.handle, project_handle: projects.handle })
    .from(projects)
    .innerJoin(users, eq(users.userId, projects.ownerId))
    .where(
      sql`${projects.projectId} in (select jsonb_array_elements(${JSON.stringify(projectIds)}::jsonb)::bigint)`,
    )
  return new Map(
    rows.map(({ projectId, owner, project_handle }) => [projectId, { owner, project_handle }]),
  )
}
