import { and, count, eq, inArray, ne, sql } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import { oneRow } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import {
  collections,
  definitions,
  instanceShares,
  instances,
  projectShares,
  projects,
  type ShareTable,
} from '../db/schema.ts'

/** What is deleted with a user. */
export interface Belongings {
  readonly projects: number
  readonly embeddings: number
  readonly instances: number
  readonly definitions: number
  /** Shares of projects and instances, both given and received. */
  readonly shares: number
  /** Projects of other users that lose their instance but stay. */
  readonly detachedProjects: number
}

/** One statement, so that all counts are of the same moment. */
export async function countBelongings(db: Db, userId: number): Promise<Belongings> {
  const isOwn = eq(projects.ownerId, userId)
  const ownCollections = db.select({ id: projects.collectionId }).from(projects).where(isOwn)
  const embeddings = db
    .select({ sum: sql`coalesce(sum(${collections.vectors}), 0)` })
    .from(collections)
    // With an array, each collection is found by its key; a join may read all collections.
    .where(sql`${collections.collectionId} = any(array(${ownCollections}))`)
  const sharesOf = (keys: ReturnType<typeof shareKeys>) =>
    db.select({ count: count() }).from(keys.as('shares'))
  const ofProjects = sharesOf(shareKeys(db, projectShares, userId))
  const ofInstances = sharesOf(shareKeys(db, instanceShares, userId))
  const [counted] = await db
    .select({
      projects: db.$count(projects, isOwn),
      embeddings: sql`(${embeddings})`.mapWith(Number),
      instances: db.$count(instances, eq(instances.ownerId, userId)),
      definitions: db.$count(definitions, eq(definitions.ownerId, userId)),
      shares: sql`(${ofProjects}) + (${ofInstances})`.mapWith(Number),
      detachedProjects: db.$count(
        projects,
        and(inArray(projects.instanceId, ownInstances(db, userId)), ne(projects.ownerId, userId)),
      ),
    })
    .from(oneRow)
  if (counted === undefined) throw new Error('nothing was counted')
  return counted
}

export const ownInstances = (db: Db, userId: number) =>
  db.select({ id: instances.instanceId }).from(instances).where(eq(instances.ownerId, userId))

/** The keys of the shares that a user gave or received. Each query uses an index. */
export function shareKeys(db: Db, table: ShareTable, userId: number) {
  const keys = { sharedId: table.sharedId, userId: table.userId }
  const ownProjects = db
    .select({ id: projects.projectId })
    .from(projects)
    .where(eq(projects.ownerId, userId))
  const own = table === projectShares ? ownProjects : ownInstances(db, userId)
  return union(
    db.select(keys).from(table).where(eq(table.userId, userId)),
    db.select(keys).from(table).where(inArray(table.sharedId, own)),
  )
}
