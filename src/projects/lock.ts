import { sql } from 'drizzle-orm'
import { isStill, type Project } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { exclusiveLock, sharedLock } from '../db/row-locks.ts'
import { projects } from '../db/schema.ts'
import { noSuchProject } from '../errors.ts'

const locks = { share: sharedLock, update: exclusiveLock }

/** `share` keeps a project unchanged, for several requests at a time; `update` is exclusive. */
type Mode = keyof typeof locks

/**
 * Selects the project's row and locks it until the transaction ends. It finds none if the project
 * was deleted or has a new owner.
 */
export const lockedProject = (db: Db, project: Project, mode: Mode) =>
  db
    .select({
      collectionId: projects.collectionId,
      instanceId: projects.instanceId,
      metadataScheme: projects.metadataScheme,
      textQueries: projects.textQueries,
      textQueryBudget: projects.textQueryBudget,
    })
    .from(projects)
    .innerJoin(locks[mode]('project', projects.projectId), sql`true`)
    .where(isStill(project))
    .for(mode, { of: projects })

/**
 * Locks a project until the transaction ends.
 * @returns the fields that may have changed since it was looked up: an emptied project has another
 * collection
 * @throws 404 if it was deleted or has a new owner
 */
export async function lockProject(db: Db, project: Project, mode: Mode) {
  const [locked] = await lockedProject(db, project, mode)
  if (locked === undefined) throw noSuchProject(project.owner, project.handle)
  return locked
}
