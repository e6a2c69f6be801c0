import { and, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import type { Account, Caller } from '../access/caller.ts'
import { isStill, type Project, type ProjectInstance } from '../access/project.ts'
import { createCollection } from '../collections/collections.ts'
import type { Db } from '../db/database.ts'
import { exclusiveLock, lockExclusive } from '../db/row-locks.ts'
import { collections, instances, projectShares, projects, users } from '../db/schema.ts'
import { conflict, noSuchProject } from '../errors.ts'
import { type Reference, usableInstance } from '../instances/usable.ts'
import { findGrantee, putShare, type Role } from '../sharing/shares.ts'
import { refuseOtherPayee, refuseSpending, usualSpending } from './spending.ts'

export interface ProjectInput {
  readonly description: string | null
  readonly publicRead: boolean
  readonly metadataScheme: string | null
  readonly textQueries: Project['textQueries']
  readonly textQueryBudget: Project['textQueryBudget']
  readonly instance: Reference
  /** Used only when the project is created. */
  readonly shares: readonly { readonly handle: string; readonly role: Role }[]
}

export interface ProjectChanges {
  readonly description?: string | null | undefined
  readonly publicRead?: boolean | undefined
  readonly metadataScheme?: string | null | undefined
  readonly textQueries?: Project['textQueries'] | undefined
  readonly textQueryBudget?: Project['textQueryBudget'] | undefined
}

export const taken = (owner: string, handle: string) =>
  conflict(`Project '${owner}/${handle}' already exists`)

/** @returns undefined if the handle is taken */
export async function insertProject(
  db: Db,
  caller: Caller,
  owner: Account,
  handle: string,
  { instance: reference, shares, ...columns }: ProjectInput,
): Promise<Project | undefined> {
  refuseSpending(caller, usualSpending, columns)
  const instance = await usableInstance(db, caller, owner, reference)
  const { instanceId } = instance
  const collectionId = await createCollection(db)
  const [project] = await db
    .insert(projects)
    .values({ ownerId: owner.userId, handle, instanceId, collectionId, ...columns })
    .onConflictDoNothing()
    .returning()
  if (project === undefined) return undefined
  for (const { handle: grantee, role } of shares) {
    const { userId } = await findGrantee(db, grantee, owner.userId)
    await putShare(db, projectShares, project.projectId, userId, role)
  }
  return { ...project, owner: owner.handle, instance }
}

/** Replaces the project's own fields, or creates it. */
export async function putProject(
  db: Db,
  caller: Caller,
  owner: Account,
  handle: string,
  input: ProjectInput,
) {
  // Tried first, because an instance that the project already uses needs no share any more.
  const replaced = await replaceProject(db, caller, owner, handle, input)
  if (replaced !== undefined) return { project: replaced, created: false }
  const inserted = await insertProject(db, caller, owner, handle, input)
  if (inserted !== undefined) return { project: inserted, created: true }
  // Another request has created it meanwhile.
  const project = await replaceProject(db, caller, owner, handle, input)
  if (project === undefined) throw noSuchProject(owner.handle, handle)
  return { project, created: false }
}

/** @throws 404 if the project was deleted or has a new owner */
export async function changeProject(
  db: Db,
  caller: Caller,
  project: Project,
  changes: ProjectChanges,
) {
  await lockExclusive(db, ['project', project.projectId])
  // Read again under the lock: text queries may have been turned off with the first key since the
  // request arrived.
  const [stored] = await db.select().from(projects).where(isStill(project))
  if (stored === undefined) throw noSuchProject(project.owner, project.handle)
  refuseSpending(caller, stored, changes)
  const [changed] = await db
    .update(projects)
    .set({ handle: project.handle, ...changes })
    .where(isStill(project))
    .returning()
  if (changed === undefined) throw noSuchProject(project.owner, project.handle)
  return changed
}

/**
 * Replaces the project's own fields.
 * @returns undefined if there is no such project
 * @throws 409 if the embeddings do not fit the new instance
 */
async function replaceProject(
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
  const instance = await instanceAfter(db, caller, owner, stored, reference)
  if (instance.instanceId !== stored.instanceId) refuseOtherPayee(caller, stored)
  const [project] = await db
    .update(projects)
    .set({ ...columns, instanceId: instance.instanceId })
    .where(eq(projects.projectId, stored.projectId))
    .returning()
  return project && { ...project, owner: owner.handle, instance }
}

/** An instance that the project already uses stays usable, even if its share has ended. */
async function instanceAfter(
  db: Db,
  caller: Caller,
  owner: Account,
  { collectionId, instanceId }: typeof projects.$inferSelect,
  reference: Reference,
): Promise<ProjectInstance> {
  const current = await findInstance(db, instanceId, reference)
  if (current !== undefined) return current
  const next = await usableInstance(db, caller, owner, reference)
  const [stored] = await db
    .select({ dimensions: collections.dimensions })
    .from(collections)
    .where(and(eq(collections.collectionId, collectionId), gt(collections.vectors, 0)))
  if (stored === undefined || stored.dimensions === next.dimensions) return next
  throw conflict(
    `Cannot change the instance: the project holds embeddings of ${stored.dimensions} dimensions, but LLM service '${reference.handle}' has ${next.dimensions}`,
  )
}

/** The instance with this id, if the reference names it. */
async function findInstance(
  db: Db,
  instanceId: number | null,
  { owner, handle }: Reference,
): Promise<ProjectInstance | undefined> {
  if (instanceId === null) return undefined
  const [found] = await db
    .select({
      instanceId: instances.instanceId,
      model: instances.model,
      dimensions: instances.dimensions,
    })
    .from(instances)
    .innerJoin(users, eq(users.userId, instances.ownerId))
    .where(
      and(
        eq(instances.instanceId, instanceId),
        eq(users.handle, owner),
        eq(instances.handle, handle),
      ),
    )
  return found && { ...found, owner, handle }
}
