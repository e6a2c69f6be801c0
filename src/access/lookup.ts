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
import { instanceOwners, owners, projectColumns } from '../projects/project.ts'

const callers = alias(users, 'callers')

const callerColumns = { userId: callers.userId, handle: callers.handle }
const ownerColumns = { userId: owners.userId, handle: owners.handle }
const keyHash = sql.placeholder('keyHash')
const owner = sql.placeholder('owner')
const handle = sql.placeholder('handle')

/**
 * The statements that find in one round trip who calls, what the request names, and the caller's share
 * of it. Each answers one row in any case, so that what is missing still tells who asked. They are built
 * once, because every request runs one of them.
 */
export function prepareLookups(db: Db) {
  const caller = db.select(callerColumns).from(callers).where(eq(callers.keyHash, keyHash))

  const namespace = db
    .select({
      caller: callerColumns,
      owner: ownerColumns,
      isMember: sql<boolean>`${exists(projectSharesInNamespace(db))}`,
    })
    .from(oneRow)
    .leftJoin(callers, eq(callers.keyHash, keyHash))
    .leftJoin(owners, eq(owners.handle, owner))

  const instance = db
    .select({
      caller: callerColumns,
      owner: ownerColumns,
      instance: getTableColumns(instances),
      role: instanceShares.role,
      // Only what is missing makes a difference to other members of the namespace.
      isMember: sql<
        boolean | null
      >`case when ${instances.instanceId} is null then ${exists(instanceSharesInNamespace(db))} end`,
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
      ...projectColumns,
      caller: callerColumns,
      namespace: ownerColumns,
      collection: {
        vectors: collections.vectors,
        dimensions: collections.dimensions,
        indexKind: collections.searchIndex,
      },
      role: projectShares.role,
      isMember: sql<
        boolean | null
      >`case when ${projects.projectId} is null then ${exists(projectSharesInNamespace(db))} end`,
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

const grantedShares = alias(projectShares, 'granted_shares')
const grantedProjects = alias(projects, 'granted_projects')
const projectSharesInNamespace = (db: Db) =>
  db
    .select({ one: sql`1` })
    .from(grantedShares)
    .innerJoin(grantedProjects, eq(grantedProjects.projectId, grantedShares.sharedId))
    .where(
      and(eq(grantedShares.userId, callers.userId), eq(grantedProjects.ownerId, owners.userId)),
    )

const grantedInstanceShares = alias(instanceShares, 'granted_instance_shares')
const grantedInstances = alias(instances, 'granted_instances')
const instanceSharesInNamespace = (db: Db) =>
  db
    .select({ one: sql`1` })
    .from(grantedInstanceShares)
    .innerJoin(grantedInstances, eq(grantedInstances.instanceId, grantedInstanceShares.sharedId))
    .where(
      and(
        eq(grantedInstanceShares.userId, callers.userId),
        eq(grantedInstances.ownerId, owners.userId),
      ),
    )
