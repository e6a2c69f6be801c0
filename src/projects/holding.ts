import { sql } from 'drizzle-orm'
import { isStill, type Project } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { exclusiveLock, sharedLock } from '../db/row-locks.ts'
import { projects } from '../db/schema.ts'
import { noSuchProject } from '../errors.ts'

const locks = { share: sharedLock, update: exclusiveLock }

/** Those who share a project keep it as it is, and who is to update it is alone with it. */
type Hold = keyof typeof locks

/** The row of a project, held until the transaction ends; none once it is gone or another's. */
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
 * @returns what may have changed since it was found: emptied, it has another collection
 * @throws 404 when it is gone, or another's by now
 */
export async function holdProject(db: Db, project: Project, hold: Hold) {
  const [held] = await heldProject(db, project, hold)
  if (held === undefined) throw noSuchProject(project.owner, project.handle)
  return held
}
