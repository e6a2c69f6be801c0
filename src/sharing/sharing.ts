import { and, asc, eq, sql } from 'drizzle-orm'
import { type Account, systemHandle } from '../access/caller.ts'
import type { Database, Db } from '../db/database.ts'
import { lockShared, sharedLock } from '../db/row-locks.ts'
import { instanceShares, projectShares, projects, type ShareTable, users } from '../db/schema.ts'
import { badRequest, notFound } from '../errors.ts'
import { findUser } from '../users/users.ts'

export type Role = 'reader' | 'editor'

/** The part of a project or instance that sharing needs. */
export interface Shared {
  readonly id: number
  readonly ownerId: number
  /** `<owner>/<handle>`, for answers and messages. */
  readonly name: string
}

export type Sharing = ReturnType<typeof createSharing>

export const createProjectSharing = (database: Database) =>
  createSharing(database, projectShares, lockOwned)

export const createInstanceSharing = (database: Database) =>
  createSharing(database, instanceShares, (db, { id }) => lockShared(db, ['instance', id]))

/** @param lock keeps the shared thing from changing its owner until the transaction ends */
function createSharing(
  database: Database,
  table: ShareTable,
  lock: (db: Db, shared: Shared) => Promise<void>,
) {
  return {
    /** @returns whether the share is new */
    share: (shared: Shared, handle: string, role: Role): Promise<boolean> =>
      database.short.transaction(async ({ db }) => {
        const account = await findSharee(db, handle, shared.ownerId)
        await lockShared(db, ['user', account.userId])
        await lock(db, shared)
        return putShare(db, table, shared.id, account.userId, role)
      }),

    async unshare(shared: Shared, handle: string): Promise<void> {
      const { userId } = await findUser(database.short.db, handle)
      const ended = await database.short.transaction(async ({ db }) => {
        await lock(db, shared)
        return db
          .delete(table)
          .where(and(eq(table.sharedId, shared.id), eq(table.userId, userId)))
          .returning({ role: table.role })
      })
      if (ended.length === 0) throw notFound(`'${shared.name}' is not shared with '${handle}'`)
    },

    list: async (shared: Shared) =>
      database.short.db
        .select({ user_handle: users.handle, role: table.role })
        .from(table)
        .innerJoin(users, eq(users.userId, table.userId))
        .where(eq(table.sharedId, shared.id))
        .orderBy(asc(users.handle)),
  }
}

/**
 * Locks a project against a transfer, which could make the sharee its owner.
 * @throws 404 if it was deleted or has a new owner
 */
async function lockOwned(db: Db, { id, ownerId, name }: Shared): Promise<void> {
  const [project] = await db
    .select({ ownerId: projects.ownerId })
    .from(projects)
    .innerJoin(sharedLock('project', projects.projectId), sql`true`)
    .where(eq(projects.projectId, id))
    .for('share', { of: projects })
  if (project?.ownerId !== ownerId) throw notFound(`Project '${name}' not found`)
}

/**
 * Finds the account to share with.
 * @throws 400 if the account cannot be given a share, 404 if there is no such user
 */
export async function findSharee(db: Db, handle: string, ownerId: number): Promise<Account> {
  if (handle === '*') {
    throw badRequest("Sharing with '*' is not possible; set public_read to let everybody read")
  }
  if (handle === systemHandle) throw badRequest(`Sharing with '${systemHandle}' is not possible`)
  const account = await findUser(db, handle)
  if (account.userId === ownerId) throw badRequest('Sharing with the owner is not possible')
  return account
}

/** Adds a share or changes its role. @returns whether it is new */
export async function putShare(
  db: Db,
  table: ShareTable,
  sharedId: number,
  userId: number,
  role: Role,
): Promise<boolean> {
  const [share] = await db
    .insert(table)
    .values({ sharedId, userId, role })
    .onConflictDoUpdate({ target: [table.sharedId, table.userId], set: { role } })
    .returning({ created: sql<boolean>`xmax = 0` })
  return share?.created === true
}
