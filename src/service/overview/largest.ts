import { desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { collections, projects, users } from '../../db/schema.ts'

/** float32 of each component, and pgvector's header of each vector: what texts and metadata take would have to be read. */
const estimatedBytes = sql`(4 * ${collections.components} + 8 * ${collections.vectors})`

/**
 * The users with the largest projects. It adds up what is recorded of every project, as /metrics does, and
 * reads no embedding.
 */
export const largestUsers = (db: Db, most: number) =>
  db
    .select({
      user_handle: users.handle,
      project_count: sql`count(${projects.projectId})`.mapWith(Number),
      embedding_count: sql`coalesce(sum(${collections.vectors}), 0)`.mapWith(Number),
      estimated_bytes: sql`coalesce(sum(${estimatedBytes}), 0)`.mapWith(Number),
    })
    .from(users)
    .leftJoin(projects, eq(projects.ownerId, users.userId))
    .leftJoin(collections, eq(collections.collectionId, projects.collectionId))
    // `_system` has no key, and no project.
    .where(sql`${users.keyHash} is not null`)
    .groupBy(users.userId, users.handle)
    .orderBy(sql`coalesce(sum(${collections.components}), 0) desc`, users.handle)
    .limit(most)

/** By the index on components, from its end: the others are not looked at, however many there are. */
export const largestProjects = (db: Db, most: number) => {
  const largest = db
    .select({
      collectionId: collections.collectionId,
      vectors: collections.vectors,
      dimensions: collections.dimensions,
      components: collections.components,
      bytes: estimatedBytes.mapWith(Number).as('bytes'),
    })
    .from(collections)
    .orderBy(desc(collections.components))
    // Some are those of projects that were deleted, and are emptied now.
    .limit(2 * most)
    .as('largest')
  // Each by its key: joins would depend on what the planner believes about the tables.
  const project = sql`lateral (select ${projects.ownerId}, ${projects.handle} from ${projects}
    where ${projects.collectionId} = ${largest.collectionId} limit 1) as project`
  return db
    .select({
      owner: sql<string>`(select ${users.handle} from ${users} where ${users.userId} = project.owner_id)`,
      project_handle: sql<string>`project.project_handle`,
      embedding_count: largest.vectors,
      dimensions: sql`coalesce(${largest.dimensions}, 0)`.mapWith(Number),
      estimated_bytes: largest.bytes,
    })
    .from(largest)
    .innerJoin(project, sql`true`)
    .orderBy(desc(largest.components), largest.collectionId)
    .limit(most)
}
