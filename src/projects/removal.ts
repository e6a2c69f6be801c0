import { eq, sql } from 'drizzle-orm'
import { isStill, type Project } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { exclusiveLock } from '../db/row-locks.ts'
import { collections, projectShares, projects } from '../db/schema.ts'
import { noSuchProject } from '../errors.ts'

/** What goes when a project is deleted. */
export interface ProjectContents {
  readonly embeddings: number
  readonly shares: number
}

/** In a transaction. @throws 404 when it is gone already, or another's by now */
export async function removeProject(db: Db, project: Project): Promise<ProjectContents> {
  const { projectId, owner, handle } = project
  const [held] = await db
    .select({ collectionId: projects.collectionId })
    .from(projects)
    .innerJoin(exclusiveLock('project', projects.projectId), sql`true`)
    .where(isStill(project))
    .for('update', { of: projects })
  if (held === undefined) throw noSuchProject(owner, handle)
  const ended = await db
    .delete(projectShares)
    .where(eq(projectShares.sharedId, projectId))
    .returning({ role: projectShares.role })
  await db.delete(projects).where(eq(projects.projectId, projectId))
  const [left] = await db
    .select({ vectors: collections.vectors })
    .from(collections)
    .where(eq(collections.collectionId, held.collectionId))
  return { embeddings: left?.vectors ?? 0, shares: ended.length }
}
