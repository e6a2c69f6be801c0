import { and, eq, inArray } from 'drizzle-orm'
import { systemHandle } from '../access/caller.ts'
import type { Project } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { lockShared } from '../db/row-locks.ts'
import { projectShares, projects } from '../db/schema.ts'
import { badRequest } from '../errors.ts'
import { findUser } from '../users/users.ts'
import { taken } from './create.ts'
import { lockProject } from './lock.ts'

/**
 * Gives a project to another user. Its embeddings, instance and other users' shares stay. The old
 * owner keeps no access, and the new owner's share is removed. Has to run in a transaction.
 */
export async function transferProject(
  db: Db,
  project: Project,
  newOwnerHandle: string,
): Promise<void> {
  const { projectId, ownerId, handle } = project
  if (newOwnerHandle === systemHandle) throw badRequest(`'${systemHandle}' cannot own projects`)
  const newOwner = await findUser(db, newOwnerHandle)
  if (newOwner.userId === ownerId) {
    throw badRequest(`new_owner_handle: '${newOwnerHandle}' is the owner already`)
  }
  await lockShared(db, ['user', newOwner.userId])
  await lockProject(db, project, 'update')
  const ofNewOwner = and(eq(projects.ownerId, newOwner.userId), eq(projects.handle, handle))
  if ((await db.$count(projects, ofNewOwner)) > 0) throw taken(newOwner.handle, handle)
  await db
    .update(projects)
    // The new owner pays for embedding texts, and therefore has to allow it again.
    .set({ ownerId: newOwner.userId, textQueries: 'off', textQueryBudget: null })
    .where(eq(projects.projectId, projectId))
  // Includes the old owner: the API never gives an owner a share, but the tables do not forbid it.
  const parties = inArray(projectShares.userId, [newOwner.userId, ownerId])
  await db.delete(projectShares).where(and(eq(projectShares.sharedId, projectId), parties))
}
