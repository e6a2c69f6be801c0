import { desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { collections, projects, users } from '../../db/schema.ts'

/** Of each list. */
export const maxLargest = 100

/** float32 of each component, and pgvector's header of each vector. */
const bytes = sql`(4 * ${collections.components} + 8 * ${collections.vectors})`

/** The largest users and projects, by what is recorded of each project. */
export const readLargest = async (db: Db) => ({
  users: await db
    .select({
      user_handle: users.handle,
      project_count: sql`count(${projects.projectId})`.mapWith(Number),
      embedding_count: sql`sum(${collections.vectors})`.mapWith(Number),
      estimated_bytes: sql`sum(${bytes})`.mapWith(Number),
    })
    .from(users)
    .innerJoin(projects, eq(projects.ownerId, users.userId))
    .innerJoin(collections, eq(collections.collectionId, projects.collectionId))
    .groupBy(users.userId, users.handle)
    .orderBy(sql`sum(${bytes}) desc`, users.handle)
    .limit(maxLargest),
  projects: await db
    .select({
      owner: users.handle,
      project_handle: projects.handle,
      embedding_count: collections.vectors,
      dimensions: sql`coalesce(${collections.dimensions}, 0)`.mapWith(Number),
      estimated_bytes: bytes.mapWith(Number),
    })
    .from(collections)
    .innerJoin(projects, eq(projects.collectionId, collections.collectionId))
    .innerJoin(users, eq(users.userId, projects.ownerId))
    .orderBy(desc(collections.components), collections.collectionId)
    .limit(maxLargest),
})
