import { and, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import type { Account, Caller } from '../access/caller.ts'
import type { Project, ProjectInstance } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { exclusiveLock } from '../db/row-locks.ts'
import { collections, projects } from '../db/schema.ts'
import { conflict } from '../errors.ts'
import { usableInstance } from '../instances/use-in-project.ts'
import type { ProjectInput } from './create.ts'
import { lockProject } from './lock.ts'
import { refuseOtherPayee, refuseSpending } from './spending.ts'

export interface ProjectChanges {
  readonly description?: string | null | undefined
  readonly publicRead?: boolean | undefined
  readonly metadataScheme?: string | null | undefined
  readonly readingOrder?: Project['readingOrder'] | undefined
  readonly textQueries?: Project['textQueries'] | undefined
  readonly textQueryBudget?: Project['textQueryBudget'] | undefined
}

/** @throws 404 if the project was deleted or has a new owner */
export async function changeProject(
  db: Db,
  caller: Caller,
  project: Project,
  changes: ProjectChanges,
) {
  // Text queries may have been turned off with the first key since the request arrived.
  refuseSpending(caller, await lockProject(db, project, 'update'), changes)
  const [changed] = await db
    .update(projects)
    .set({ handle: project.handle, ...changes })
    .where(eq(projects.projectId, project.projectId))
    .returning()
  return changed
}

/**
 * Replaces the project's own fields.
 * @returns undefined if there is no such project
 * @throws 409 if the embeddings do not fit the new instance
 */
export async function replaceProject(
  db: Db,
  caller: Caller,
  owner: Account,
  handle: string,
  { instance: reference, shares: _, ...columns }: ProjectInput,
): Promise<Project | undefined> {
  const [stored] = await db
    .select(getTableColumns(projects))
    .from(projects)
    .innerJoin(exclusiveLock('project', projects.projectId), sql`true`)
    .where(and(eq(projects.ownerId, owner.userId), eq(projects.handle, handle)))
    .for('update', { of: projects })
  if (stored === undefined) return undefined
  refuseSpending(caller, stored, columns)
  const instance = await usableInstance(db, caller, owner, reference, stored.instanceId)
  if (instance.instanceId !== stored.instanceId) {
    await refuseOtherDimensions(db, stored.collectionId, instance)
    refuseOtherPayee(caller, stored)
  }
  const [project] = await db
    .update(projects)
    .set({ ...columns, instanceId: instance.instanceId })
    .where(eq(projects.projectId, stored.projectId))
    .returning()
  return project && { ...project, owner: owner.handle, instance }
}

async function refuseOtherDimensions(
  db: Db,
  collectionId: number,
  { handle, dimensions }: ProjectInstance,
): Promise<void> {
  const [stored] = await db
    .select({ dimensions: collections.dimensions })
    .from(collections)
    .where(and(eq(collections.collectionId, collectionId), gt(collections.vectors, 0)))
  if (stored === undefined || stored.dimensions === dimensions) return
  throw conflict(
    `Cannot change the instance: the project holds embeddings of ${stored.dimensions} dimensions, but LLM service '${handle}' has ${dimensions}`,
  )
}
