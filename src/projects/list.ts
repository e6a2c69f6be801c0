import { and, asc, count, eq, inArray, type SQLWrapper, sql } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import { type Account, type Caller, isUser, limitingKeyOf } from '../access/caller.ts'
import { instanceOwners, owners, projectColumns, projectOf } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { keyProjects } from '../db/key-schema.ts'
import type { Page } from '../db/page.ts'
import { collections, instances, projectShares, projects } from '../db/schema.ts'
import { presentProject } from './show.ts'

/** A subquery per row of the page. A join could read the sizes of all projects. */
const ofCollection = (column: SQLWrapper) =>
  sql`(select ${column} from ${collections} where ${collections.collectionId} = ${projects.collectionId})`

/**
 * Looks each set up by its own index. A condition with `or` would be checked against all projects.
 */
const ownedOrShared = (db: Db, userId: number) =>
  union(
    db.select({ id: projects.projectId }).from(projects).where(eq(projects.ownerId, userId)),
    db
      .select({ id: projectShares.sharedId })
      .from(projectShares)
      .where(eq(projectShares.userId, userId)),
  )

/** The condition that limits a list to the projects of a limited key; undefined for other keys. */
function reachedBy(db: Db, caller: Caller) {
  const keyId = limitingKeyOf(caller)
  if (keyId === undefined) return undefined
  const reached = db
    .select({ id: keyProjects.projectId })
    .from(keyProjects)
    .where(eq(keyProjects.keyId, keyId))
  return sql`${projects.projectId} = any(array(${reached}))`
}

/**
 * Owners and the administrator see the owner's projects and, with `includeShared`, those shared
 * with the owner. Others see those of the owner's projects that are shared with them.
 */
export async function listProjects(
  db: Db,
  caller: Caller,
  owner: Account,
  page: Page,
  includeShared: boolean,
) {
  const isOwn = caller.kind === 'admin' || isUser(caller, owner.userId)
  const viewerId = isOwn || caller.kind !== 'user' ? owner.userId : caller.userId
  const owned = eq(projects.ownerId, owner.userId)
  const shared = eq(projectShares.userId, viewerId)
  const listed = includeShared
    ? inArray(projects.projectId, ownedOrShared(db, owner.userId))
    : owned
  const readable = isOwn ? listed : and(owned, shared)
  const where = and(readable, reachedBy(db, caller))
  const ofViewer = and(eq(projectShares.sharedId, projects.projectId), shared)
  const [rows, [counted]] = await Promise.all([
    db
      .select({
        ...projectColumns,
        owner: owners.handle,
        vectors: ofCollection(collections.vectors).mapWith(Number),
        addedAt: ofCollection(collections.addedAt).mapWith(collections.addedAt),
        role: projectShares.role,
      })
      .from(projects)
      .innerJoin(owners, eq(owners.userId, projects.ownerId))
      .leftJoin(instances, eq(instances.instanceId, projects.instanceId))
      .leftJoin(instanceOwners, eq(instanceOwners.userId, instances.ownerId))
      .leftJoin(projectShares, ofViewer)
      .where(where)
      .orderBy(asc(owners.handle), asc(projects.handle))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(projects).leftJoin(projectShares, ofViewer).where(where),
  ])
  const presented = rows.map(({ role, vectors, addedAt, ...row }) => ({
    ...presentProject(projectOf(row), { vectors, addedAt }),
    ...(includeShared && role !== null && { role }),
  }))
  return { projects: presented, total_count: counted?.total ?? 0, ...page }
}
