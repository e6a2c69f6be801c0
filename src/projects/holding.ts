import { sql } from 'drizzle-orm'
import { isStill, type Project } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { exclusiveLock, sharedLock } from '../db/row-locks.ts'
import { projects } from '../db/schema.ts'
import { noSuchProject } from '../errors.ts'

const locks = { share: sharedLock, update: exclusiveLock }

/** `share` keeps a project unchanged, for several holders at a time; `update` is exclusive. */
type Hold = keyof typeof locks

/**
 * Selects the project's row and holds it until the transaction ends. It finds none if the project
 * was deleted or has a new owner.
 */
export const heldProject = (db: Db, project: Project, hold: Hold) =>
  db
    .select({
      collectionId: projects.collectionId,
      instanceId: projects.instanceId,
      metadataScheme: projects.metadataScheme,
    })
    .from(projects)
    .innerJoin(locks[hold]('project', projects.projectId), sql`true`)
    .where(isStill(project))
    .for(hold, { of: projects })

/**
 * Holds a project until the transaction ends.
 * @returns the fields that may have changed since it was found: an emptied project has another
 * collection
 * @throws 404 if it was deleted or has a new owner
 */
export async function holdProject(db: Db, project: Project, hold: Hold) {
  const [held] = await heldProject(db, project, hold)
  if (held === undefined) throw noSuchProject(project.owner, project.handle)
  return held
}
