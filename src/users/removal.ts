import { asc, eq, inArray, or, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { exclusiveLock, lockExclusive } from '../db/row-locks.ts'
import { instances, projects, users } from '../db/schema.ts'
import { noSuchUser } from '../errors.ts'

/** Each takes a place in PostgreSQL's lock table: a user with more projects may have to wait. */
const maxRowLocks = 500

/**
 * Removes a user and, by the schema's cascades, their projects, instances and shares. To be called in a
 * transaction.
 * @throws 404 when there is no such user
 */
export async function removeUser(db: Db, handle: string): Promise<void> {
  const [user] = await db
    .select({ userId: users.userId })
    .from(users)
    .innerJoin(exclusiveLock('user', users.userId), sql`true`)
    .where(eq(users.handle, handle))
    .for('update', { of: users })
  if (user === undefined) throw noSuchUser(handle)
  await lockProjectsOf(db, user.userId)
  await db.delete(users).where(eq(users.userId, user.userId))
}

/**
 * Locks what the cascades of removing a user change, in the order of all other writers: user,
 * projects, instances. Else they would deadlock with uploads and with changes of projects.
 */
async function lockProjectsOf(db: Db, userId: number): Promise<void> {
  const own = db
    .select({ instanceId: instances.instanceId })
    .from(instances)
    .where(eq(instances.ownerId, userId))
  const affected = () =>
    db
      .select({ projectId: projects.projectId })
      .from(projects)
      .where(or(eq(projects.ownerId, userId), inArray(projects.instanceId, own)))
      .orderBy(asc(projects.projectId))
  const first = await affected().limit(maxRowLocks)
  await lockExclusive(db, ...first.map(({ projectId }) => ['project', projectId] as const))
  await affected().for('update')
}
