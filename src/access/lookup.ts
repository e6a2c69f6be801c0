import {
  and,
  eq,
  exists,
  getTableColumns,
  isNull,
  ne,
  not,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { alias, QueryBuilder } from 'drizzle-orm/pg-core'
import { oneRow } from '../db/columns.ts'
import type { Database, Db } from '../db/database.ts'
import { keyProjects, userKeys } from '../db/key-schema.ts'
import {
  collections,
  instanceShares,
  instances,
  projectShares,
  projects,
  users,
} from '../db/schema.ts'
import { collectionColumns, instanceOwners, owners, projectColumns } from './project.ts'

const callers = alias(users, 'callers')

const callerColumns = { userId: callers.userId, handle: callers.handle }
/** The key of `callers` that was presented, if it is not the first one. */
const namedKeys = alias(userKeys, 'named_keys')
const namedKeyColumns = {
  keyId: namedKeys.keyId,
  handle: namedKeys.handle,
  access: namedKeys.access,
  isLimited: namedKeys.isLimited,
  expiresAt: namedKeys.expiresAt,
}

const ownerColumns = { userId: owners.userId, handle: owners.handle }
const keyHash = sql.placeholder('keyHash')
const owner = sql.placeholder('owner')
const handle = sql.placeholder('handle')

const firstKeys = alias(users, 'first_keys')
const isPresented = eq(namedKeys.keyHash, keyHash)
/** Selects the user whose key was presented. Each kind of keys is searched by its own index. */
const isCaller = eq(
  callers.userId,
  sql`coalesce((${new QueryBuilder()
    .select({ userId: firstKeys.userId })
    .from(firstKeys)
    .where(eq(firstKeys.keyHash, keyHash))}), ${namedKeys.userId})`,
)

/**
 * Whether there are such shares. In the caller's own namespace, or unless `when` holds, it is null
 * and nothing is looked up.
 */
const isMember = (shares: SQLWrapper, when?: SQL) =>
  sql<
    boolean | null
  >`case when ${and(ne(callers.userId, owners.userId), when)} then ${exists(shares)} end`

const isLimited = sql`coalesce(${namedKeys.isLimited}, false)`

/** Whether the presented key, if it is a limited one, reaches this project. */
const reachedBy = (db: Db, projectId: SQLWrapper) =>
  db
    .select({ one: sql`1` })
    .from(keyProjects)
    .where(and(eq(keyProjects.keyId, namedKeys.keyId), eq(keyProjects.projectId, projectId)))

// A subquery finds the owner of what is shared. It keeps PostgreSQL from beginning with everything
// that the owner has: for an owner of 300,000 projects a join takes up to a second, at every
// request.

const grantedShares = alias(projectShares, 'granted_shares')
const grantedProjects = alias(projects, 'granted_projects')
const projectSharesInNamespace = (db: Db) => {
  const projectOwner = db
    .select({ ownerId: grantedProjects.ownerId })
    .from(grantedProjects)
    .where(eq(grantedProjects.projectId, grantedShares.sharedId))
  return db
    .select({ one: sql`1` })
    .from(grantedShares)
    .where(
      and(
        eq(grantedShares.userId, callers.userId),
        eq(owners.userId, projectOwner),
        or(not(isLimited), exists(reachedBy(db, grantedShares.sharedId))),
      ),
    )
}

const grantedInstanceShares = alias(instanceShares, 'granted_instance_shares')
const grantedInstances = alias(instances, 'granted_instances')
const instanceSharesInNamespace = (db: Db) => {
  const instanceOwner = db
    .select({ ownerId: grantedInstances.ownerId })
    .from(grantedInstances)
    .where(eq(grantedInstances.instanceId, grantedInstanceShares.sharedId))
  return db
    .select({ one: sql`1` })
    .from(grantedInstanceShares)
    .where(and(eq(grantedInstanceShares.userId, callers.userId), eq(owners.userId, instanceOwner)))
}

const namespaceLookup = (db: Db) =>
  db
    .select({
      caller: callerColumns,
      key: namedKeyColumns,
      owner: ownerColumns,
      isMember: isMember(projectSharesInNamespace(db)),
    })
    .from(oneRow)
    .leftJoin(namedKeys, isPresented)
    .leftJoin(callers, isCaller)
    .leftJoin(owners, eq(owners.handle, owner))

const instanceLookup = (db: Db) =>
  db
    .select({
      caller: callerColumns,
      key: namedKeyColumns,
      owner: ownerColumns,
      instance: getTableColumns(instances),
      role: instanceShares.role,
      // Other members of the namespace are treated differently only if the instance is missing.
      isMember: isMember(instanceSharesInNamespace(db), isNull(instances.instanceId)),
    })
    .from(oneRow)
    .leftJoin(namedKeys, isPresented)
    .leftJoin(callers, isCaller)
    .leftJoin(owners, eq(owners.handle, owner))
    .leftJoin(instances, and(eq(instances.ownerId, owners.userId), eq(instances.handle, handle)))
    .leftJoin(
      instanceShares,
      and(
        eq(instanceShares.sharedId, instances.instanceId),
        eq(instanceShares.userId, callers.userId),
      ),
    )

const projectLookup = (db: Db) =>
  db
    .select({
      ...projectColumns,
      caller: callerColumns,
      key: namedKeyColumns,
      namespace: ownerColumns,
      collection: collectionColumns,
      role: projectShares.role,
      /** Not null if the key is limited to some projects and this is one of them. */
      reached: keyProjects.projectId,
      isMember: isMember(projectSharesInNamespace(db), isNull(projects.projectId)),
    })
    .from(oneRow)
    .leftJoin(namedKeys, isPresented)
    .leftJoin(callers, isCaller)
    .leftJoin(owners, eq(owners.handle, owner))
    .leftJoin(projects, and(eq(projects.ownerId, owners.userId), eq(projects.handle, handle)))
    .leftJoin(collections, eq(collections.collectionId, projects.collectionId))
    .leftJoin(instances, eq(instances.instanceId, projects.instanceId))
    .leftJoin(instanceOwners, eq(instanceOwners.userId, instances.ownerId))
    .leftJoin(
      projectShares,
      and(eq(projectShares.sharedId, projects.projectId), eq(projectShares.userId, callers.userId)),
    )
    .leftJoin(
      keyProjects,
      and(eq(keyProjects.keyId, namedKeys.keyId), eq(keyProjects.projectId, projects.projectId)),
    )

type InNamespace = { readonly keyHash: string | null; readonly owner: string }
type OfHandle = InNamespace & { readonly handle: string }

/**
 * The statements that find, in one round trip, the caller, what the request names, and the caller's
 * share of it. Each returns one row in any case, so that the caller is known even if the target is
 * missing. They are built once, because every request runs one of them.
 */
export function prepareLookups({
  short: { db },
  remembering,
}: Pick<Database, 'short' | 'remembering'>) {
  const caller = db
    .select({ caller: callerColumns, key: namedKeyColumns })
    .from(oneRow)
    .leftJoin(namedKeys, isPresented)
    .leftJoin(callers, isCaller)
    .prepare('find_caller')
  const namespace = namespaceLookup(db).prepare('find_namespace')
  const instance = instanceLookup(db).prepare('find_instance')
  const project = projectLookup(db).prepare('find_project')
  return {
    caller: remembering((values: { readonly keyHash: string }) => caller.execute(values)),
    namespace: remembering((values: InNamespace) => namespace.execute(values)),
    instance: remembering((values: OfHandle) => instance.execute(values)),
    project: remembering((values: OfHandle) => project.execute(values)),
  }
}
