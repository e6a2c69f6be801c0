import { desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { projects, users } from '../db/schema.ts'

interface PublicProject {
  readonly owner: string
  readonly handle: string
  readonly description: string | null
}

/**
 * Lists the newest public projects.
 * @param most how many
 * @param length the number of characters to read of each description
 */
export async function listPublic(db: Db, most: number, length: number): Promise<PublicProject[]> {
  // A subquery, so that owners are looked up only for the projects shown. The condition is a
  // literal to match the partial index.
  const newest = db
    .select({
      projectId: projects.projectId,
      ownerId: projects.ownerId,
      handle: projects.handle,
      description: sql<string | null>`left(${projects.description}, ${length})`.as('shortened'),
    })
    .from(projects)
    .where(sql`${projects.publicRead}`)
    .orderBy(desc(projects.projectId))
    .limit(most)
    .as('newest')
  return db
    .select({ owner: users.handle, handle: newest.handle, description: newest.description })
    .from(newest)
    .innerJoin(users, eq(users.userId, newest.ownerId))
    .orderBy(desc(newest.projectId))
}
