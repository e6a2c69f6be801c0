import { and, eq, exists, getTableColumns, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { oneRow } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import {
  collections,
  instanceShares,
  instances,
  projectShares,
  projects,
  users,
} from '../db/schema.ts'

const callers = alias(users, 'callers')
const owners = alias(users, 'owners')
const instanceOwners = alias(users, 'instance_owners')

const callerColumns = { userId: callers.userId, handle: callers.handle }
const ownerColumns = { userId: owners.userId, handle: owners.handle }
const keyHash = sql.placeholder('keyHash')
const owner = sql.placeholder('owner')
const handle = sql.placeholder('handle')

/**
 * The statements that find, in one round trip, who calls and what the request names. All of it is
 * joined to one row, so that a missing thing still tells who asked.
 * Prepared by name: they run on every request.
 */
export function prepareLookups(db: Db) {
  const caller = db.select(callerColumns).from(callers).where(eq(callers.keyHash, keyHash))

  const namespace = db
    .select({ caller: callerColumns, owner: ownerColumns })
    .from(oneRow)
    .leftJoin(callers, eq(callers.keyHash, keyHash))
    .leftJoin(owners, eq(owners.handle, owner))

  const instance = db
    .select({
      caller: callerColumns,
      owner: ownerColumns,
      instance: getTableColumns(instances),
      role: instanceShares.role,
    })
    .from(oneRow)
    .leftJoin(callers, eq(callers.keyHash, keyHash))
    .leftJoin(owners, eq(owners.handle, owner))
    .leftJoin(instances, and(eq(instances.ownerId, owners.userId), eq(instances.handle, handle)))
    .leftJoin(
      instanceShares,
      and(
        eq(instanceShares.sharedId, instances.instanceId),
        eq(instanceShares.userId, callers.userId),
      ),
    )

  const project = db
    .select({
      caller: callerColumns,
      owner: ownerColumns,
      project: getTableColumns(projects),
      instance: {
        instanceId: instances.instanceId,
        handle: instances.handle,
        dimensions: instances.dimensions,
      },
      instanceOwner: instanceOwners.handle,
      collection: {
        vectors: collections.vectors,
        dimensions: collections.dimensions,
        kind: collections.searchIndex,
      },
      role: projectShares.role,
    })
    .from(oneRow)
    .leftJoin(callers, eq(callers.keyHash, keyHash))
    .leftJoin(owners, eq(owners.handle, owner))
    .leftJoin(projects, and(eq(projects.ownerId, owners.userId), eq(projects.handle, handle)))
    .leftJoin(collections, eq(collections.collectionId, projects.collectionId))
    .leftJoin(instances, eq(instances.instanceId, projects.instanceId))
    .leftJoin(instanceOwners, eq(instanceOwners.userId, instances.ownerId))
    .leftJoin(
      projectShares,
      and(eq(projectShares.sharedId, projects.projectId), eq(projectShares.userId, callers.userId)),
    )

  return {
    caller: caller.prepare('find_caller'),
    namespace: namespace.prepare('find_namespace'),
    instance: instance.prepare('find_instance'),
    project: project.prepare('find_project'),
  }
}

/** Whether a user has a share of any project of an owner. */
export const sharesProjectOf = (db: Db, userId: number, ownerId: number) =>
  hasRow(
    db,
    db
      .select({ one: sql`1` })
      .from(projectShares)
      .innerJoin(projects, eq(projects.projectId, projectShares.sharedId))
      .where(and(eq(projectShares.userId, userId), eq(projects.ownerId, ownerId))),
  )

/** Whether a user has a share of any instance of an owner. */
export const sharesInstanceOf = (db: Db, userId: number, ownerId: number) =>
  hasRow(
    db,
    db
      .select({ one: sql`1` })
      .from(instanceShares)
      .innerJoin(instances, eq(instances.instanceId, instanceShares.sharedId))
      .where(and(eq(instanceShares.userId, userId), eq(instances.ownerId, ownerId))),
  )

async function hasRow(db: Db, query: Parameters<typeof exists>[0]): Promise<boolean> {
  const [row] = await db.select({ found: sql<boolean>`${exists(query)}` }).from(oneRow)
  return row?.found === true
}
