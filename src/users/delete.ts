import { asc, eq, inArray, sql } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import type { Db } from '../db/database.ts'
import { keyProjects, userKeys } from '../db/key-schema.ts'
import { exclusiveLock, lockExclusive } from '../db/row-locks.ts'
import { instanceShares, instances, projectShares, projects, users } from '../db/schema.ts'
import { noSuchUser } from '../errors.ts'

/**
 * Each lock takes a slot in PostgreSQL's lock table. Removing a user with more projects may have to
 * wait.
 */
const maxRowLocks = 500

/**
 * Deletes a user and, by the schema's cascades, their projects, instances, definitions, keys and
 * shares. Has to run in a transaction.
 * @throws 404 if there is no such user
 */
export async function deleteUser(db: Db, handle: string): Promise<void> {
  const [user] = await db
    .select({ userId: users.userId })
    .from(users)
    .innerJoin(exclusiveLock('user', users.userId), sql`true`)
    .where(eq(users.handle, handle))
    .for('update', { of: users })
  if (user === undefined) throw noSuchUser(handle)
  await lockProjects(db, user.userId)
  await lockInstances(db, user.userId)
  await lockShares(db, user.userId)
  await lockKeys(db, user.userId)
  // Shares go before keys, as when a project is deleted: the cascades could meet in another order.
  await db.delete(projectShares).where(eq(projectShares.userId, user.userId))
  await db.delete(users).where(eq(users.userId, user.userId))
}

const ownInstances = (db: Db, userId: number) =>
  db.select({ id: instances.instanceId }).from(instances).where(eq(instances.ownerId, userId))

const ownProjects = (db: Db, userId: number) =>
  db.select({ id: projects.projectId }).from(projects).where(eq(projects.ownerId, userId))

/**
 * Locks what the cascades change, in the order of all other writers: user, projects, instances.
 * Another order would deadlock with uploads and with changes of projects.
 */
async function lockProjects(db: Db, userId: number): Promise<void> {
  const id = { projectId: projects.projectId }
  // Two queries, because PostgreSQL does not use both indexes for the two conditions in one.
  const affected = () =>
    union(
      db.select(id).from(projects).where(eq(projects.ownerId, userId)),
      db
        .select(id)
        .from(projects)
        .where(inArray(projects.instanceId, ownInstances(db, userId))),
    )
  const first = await affected().orderBy(asc(projects.projectId)).limit(maxRowLocks)
  await lockExclusive(db, ...first.map(({ projectId }) => ['project', projectId] as const))
  await db
    .select(id)
    .from(projects)
    .where(sql`${projects.projectId} = any(array(${affected()}))`)
    .orderBy(asc(projects.projectId))
    .for('update')
}

async function lockInstances(db: Db, userId: number): Promise<void> {
  // The expression keeps the planner from walking all instances in key order to find those of one
  // owner.
  const ordered = () => ownInstances(db, userId).orderBy(sql`${instances.instanceId} + 0`)
  const first = await ordered().limit(maxRowLocks)
  await lockExclusive(db, ...first.map(({ id }) => ['instance', id] as const))
  await ordered().for('update')
}

/**
 * Locks the shares that the user gave and received. The cascades have no order of their own, so two
 * users who share with each other would deadlock.
 */
async function lockShares(db: Db, userId: number): Promise<void> {
  for (const [table, own] of [
    [projectShares, ownProjects(db, userId)],
    [instanceShares, ownInstances(db, userId)],
  ] as const) {
    const keys = { sharedId: table.sharedId, userId: table.userId }
    // Each query uses an index.
    const given = db.select(keys).from(table).where(inArray(table.sharedId, own))
    const received = db.select(keys).from(table).where(eq(table.userId, userId))
    await db
      .select({ role: table.role })
      .from(table)
      .where(sql`(${table.sharedId}, ${table.userId}) in ${union(received, given)}`)
      .orderBy(asc(table.sharedId), asc(table.userId))
      .for('update')
  }
}

/** Locks which projects the user's keys reach, and which keys reach the user's projects. */
async function lockKeys(db: Db, userId: number): Promise<void> {
  const pair = { keyId: keyProjects.keyId, projectId: keyProjects.projectId }
  const ownKeys = db
    .select({ id: userKeys.keyId })
    .from(userKeys)
    .where(eq(userKeys.userId, userId))
  const ofKeys = db.select(pair).from(keyProjects).where(inArray(keyProjects.keyId, ownKeys))
  const ofProjects = db
    .select(pair)
    .from(keyProjects)
    .where(inArray(keyProjects.projectId, ownProjects(db, userId)))
  await db
    .select({ keyId: keyProjects.keyId })
    .from(keyProjects)
    .where(sql`(${keyProjects.keyId}, ${keyProjects.projectId}) in ${union(ofKeys, ofProjects)}`)
    .orderBy(asc(keyProjects.keyId), asc(keyProjects.projectId))
    .for('update')
}
