import { desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { projects, users } from '../db/schema.ts'

/** A project that everybody may read. */
interface PublicProject {
  readonly owner: string
  readonly handle: string
  readonly description: string | null
}

/**
 * The newest ones.
 * @param most how many
 * @param length of a description in characters: the rest of it is not read
 */
export async function listPublic(db: Db, most: number, length: number): Promise<PublicProject[]> {
  // By itself, so that as many owners are looked up as projects are shown. The condition is a literal, as that of the index.
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
