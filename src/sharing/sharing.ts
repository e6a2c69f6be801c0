import { and, asc, eq, sql } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { lockShared, sharedLock } from '../db/row-locks.ts'
import { instanceShares, projectShares, projects, type ShareTable, users } from '../db/schema.ts'
import { notFound } from '../errors.ts'
import { findUser } from '../users/users.ts'
import { findGrantee, putShare, type Role } from './shares.ts'

/** The part of a project or instance that sharing needs. */
export interface Shared {
  readonly id: number
  readonly ownerId: number
  /** `<owner>/<handle>`, for answers and messages. */
  readonly name: string
}

export type Sharing = ReturnType<typeof createSharing>

export const createProjectSharing = (database: Database) =>
  createSharing(database, projectShares, holdOwned)

export const createInstanceSharing = (database: Database) =>
  createSharing(database, instanceShares, (db, { id }) => lockShared(db, ['instance', id]))

/** @param hold keeps the shared thing from changing its owner until the transaction ends */
function createSharing(
  database: Database,
  table: ShareTable,
  hold: (db: Db, shared: Shared) => Promise<void>,
) {
  const { db } = database.short
  return {
    async share(shared: Shared, handle: string, role: Role): Promise<boolean> {
      return database.short.transaction(async ({ db }) => {
        const grantee = await findGrantee(db, handle, shared.ownerId)
        await lockShared(db, ['user', grantee.userId])
        await hold(db, shared)
        return putShare(db, table, shared.id, grantee.userId, role)
      })
    },

    async unshare(shared: Shared, handle: string): Promise<void> {
      const { userId } = await findUser(db, handle)
      const deleted = await database.short.transaction(async ({ db }) => {
        await hold(db, shared)
        return db
          .delete(table)
          .where(and(eq(table.sharedId, shared.id), eq(table.userId, userId)))
          .returning({ role: table.role })
      })
      if (deleted.length === 0) throw notFound(`'${shared.name}' is not shared with '${handle}'`)
    },

    async list(shared: Shared) {
      return db
        .select({ user_handle: users.handle, role: table.role })
        .from(table)
        .innerJoin(users, eq(users.userId, table.userId))
        .where(eq(table.sharedId, shared.id))
        .orderBy(asc(users.handle))
    },
  }
}

/**
 * Locks a project against a transfer, which could make the grantee its owner.
 * @throws 404 if it was deleted or has a new owner
 */
async function holdOwned(db: Db, { id, ownerId, name }: Shared): Promise<void> {
  const [held] = await db
    .select({ ownerId: projects.ownerId })
    .from(projects)
    .innerJoin(sharedLock('project', projects.projectId), sql`true`)
    .where(eq(projects.projectId, id))
    .for('share', { of: projects })
  if (held?.ownerId !== ownerId) throw notFound(`Project '${name}' not found`)
}
