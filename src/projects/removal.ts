import { eq } from 'drizzle-orm'
import type { Project } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { collections, projectShares, projects } from '../db/schema.ts'
import { holdProject } from './holding.ts'

/** What is deleted with a project. */
export interface ProjectContents {
  readonly embeddings: number
  readonly shares: number
}

/**
 * Has to run in a transaction. @throws 404 if the project was deleted already or has a new owner
 */
export async function removeProject(db: Db, project: Project): Promise<ProjectContents> {
  const { projectId } = project
  const { collectionId } = await holdProject(db, project, 'update')
  const ended = await db
    .delete(projectShares)
    .where(eq(projectShares.sharedId, projectId))
    .returning({ role: projectShares.role })
  await db.delete(projects).where(eq(projects.projectId, projectId))
  const [left] = await db
    .select({ vectors: collections.vectors })
    .from(collections)
    .where(eq(collections.collectionId, collectionId))
  return { embeddings: left?.vectors ?? 0, shares: ended.length }
}
