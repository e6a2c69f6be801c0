import { and, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import type { Account, Caller } from '../access/caller.ts'
import { createCollection } from '../collections/collections.ts'
import type { Db } from '../db/database.ts'
import { gate } from '../db/gates.ts'
import { collections, instances, projectShares, projects, users } from '../db/schema.ts'
import { conflict } from '../errors.ts'
import { type Reference, usableInstance } from '../instances/usable.ts'
import { findSharee, putShare, type Role } from '../sharing/sharing.ts'
import { toNewProject } from './view.ts'

export interface ProjectInput {
  readonly description: string | null
  readonly publicRead: boolean
  readonly metadataScheme: string | null
  readonly instance: Reference
  /** Honoured when the project is created. */
  readonly shares: readonly { readonly handle: string; readonly role: Role }[]
}

export const taken = (owner: string, handle: string) =>
  conflict(`Project '${owner}/${handle}' already exists`)

/** @returns undefined when the handle is taken */
export async function insertProject(
  db: Db,
  caller: Caller,
  owner: Account,
  handle: string,
  { instance: reference, shares, ...columns }: ProjectInput,
) {
  const { instanceId } = await usableInstance(db, caller, owner, reference)
  const collectionId = await createCollection(db)
  const [project] = await db
    .insert(projects)
    .values({ ownerId: owner.userId, handle, instanceId, collectionId, ...columns })
    .onConflictDoNothing()
    .returning()
  if (project === undefined) return undefined
  for (const { handle: sharee, role } of shares) {
    const { userId } = await findSharee(db, sharee, owner.userId)
    await putShare(db, projectShares, project.projectId, userId, role)
  }
  return shown(project, owner, reference, instanceId)
}

/**
 * Replaces the project's own fields.
 * @returns undefined when there is no such project
 * @throws 409 when the embeddings do not fit the new instance
 */
export async function replaceProject(
  db: Db,
  caller: Caller,
  owner: Account,
  handle: string,
  { instance: reference, shares: _, ...columns }: ProjectInput,
) {
  const [stored] = await db
    .select(getTableColumns(projects))
    .from(projects)
    .innerJoin(gate('alone', 'project', projects.projectId), sql`true`)
    .where(and(eq(projects.ownerId, owner.userId), eq(projects.handle, handle)))
    .for('update', { of: projects })
  if (stored === undefined) return undefined
  const instanceId = await instanceAfter(db, caller, owner, stored, reference)
  const [project] = await db
    .update(projects)
    .set({ ...columns, instanceId })
    .where(eq(projects.projectId, stored.projectId))
    .returning()
  return project && shown(project, owner, reference, instanceId)
}

/** An instance that the project has already stays usable, also when its share has ended. */
async function instanceAfter(
  db: Db,
  caller: Caller,
  owner: Account,
  { collectionId, instanceId }: typeof projects.$inferSelect,
  reference: Reference,
): Promise<number> {
  if (instanceId !== null && (await isNamed(db, instanceId, reference))) return instanceId
  const next = await usableInstance(db, caller, owner, reference)
  const [stored] = await db
    .select({ dimensions: collections.dimensions })
    .from(collections)
    .where(and(eq(collections.collectionId, collectionId), gt(collections.vectors, 0)))
  if (stored === undefined || stored.dimensions === next.dimensions) return next.instanceId
  throw conflict(
    `Cannot change the instance: the project holds embeddings of ${stored.dimensions} dimensions, but LLM service '${reference.handle}' has ${next.dimensions}`,
  )
}

async function isNamed(db: Db, instanceId: number, { owner, handle }: Reference) {
  const [instance] = await db
    .select({ owner: users.handle, handle: instances.handle })
    .from(instances)
    .innerJoin(users, eq(users.userId, instances.ownerId))
    .where(eq(instances.instanceId, instanceId))
  return instance?.owner === owner && instance.handle === handle
}

const shown = (
  project: typeof projects.$inferSelect,
  owner: Account,
  { owner: instanceOwner, handle }: Reference,
  instanceId: number,
) => toNewProject({ project, owner: owner.handle, instance: { instanceId, handle }, instanceOwner })
