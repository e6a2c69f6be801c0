import { and, asc, count, eq, inArray, sql } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import { type Account, type Caller, isUser, limitingKeyOf } from '../access/caller.ts'
import { instanceOwners, owners, projectColumns, projectOf } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { keyProjects } from '../db/key-schema.ts'
import type { Page } from '../db/page.ts'
import { collections, instances, projectShares, projects } from '../db/schema.ts'
import { presentProject } from './present.ts'

/** A subquery for each row of the page: a join could read the sizes of everybody's projects. */
const vectorsOf = sql<number | null>`(select ${collections.vectors} from ${collections}
  where ${collections.collectionId} = ${projects.collectionId})`

/** By their keys each: a condition on either would be held against the projects of everybody. */
const ownedOrShared = (db: Db, userId: number) =>
  union(
    db.select({ id: projects.projectId }).from(projects).where(eq(projects.ownerId, userId)),
    db
      .select({ id: projectShares.sharedId })
      .from(projectShares)
      .where(eq(projectShares.userId, userId)),
  )

/** What a limited key bounds a list to; undefined without one. */
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
 * For the owner and the administrator: the owner's projects, with `includeShared` also those that
 * are shared with the owner. For others: those of the owner's projects that are shared with the caller.
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
  const all = inArray(projects.projectId, ownedOrShared(db, owner.userId))
  const readable = isOwn ? (includeShared ? all : owned) : and(owned, shared)
  const where = and(readable, reachedBy(db, caller))
  const ofViewer = and(eq(projectShares.sharedId, projects.projectId), shared)
  const [rows, [counted]] = await Promise.all([
    db
      .select({
        ...projectColumns,
        owner: owners.handle,
        vectors: vectorsOf.mapWith(Number),
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
  const presented = rows.map(({ role, vectors, ...row }) => ({
    ...presentProject(projectOf(row), vectors ?? 0),
    ...(includeShared && role !== null && { role }),
  }))
  return { projects: presented, total_count: counted?.total ?? 0, ...page }
}
