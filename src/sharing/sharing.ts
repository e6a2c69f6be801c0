import { and, asc, eq, sql } from 'drizzle-orm'
import { type Account, systemHandle } from '../access/caller.ts'
import type { Database, Db } from '../db/database.ts'
import { enter, gate } from '../db/gates.ts'
import { type instanceShares, projectShares, projects, users } from '../db/schema.ts'
import { badRequest, notFound } from '../errors.ts'
import { findUser } from '../users/users.ts'

export type Role = 'reader' | 'editor'
type ShareTable = typeof instanceShares | typeof projectShares

export interface Shared {
  readonly id: number
  readonly ownerId: number
  /** `<owner>/<handle>`, as answers and messages name it. */
  readonly name: string
}

/**
 * The account that something is to be shared with.
 * @throws 400 for whom nothing can be shared with, 404 for whom there is not
 */
export async function findSharee(db: Db, handle: string, ownerId: number): Promise<Account> {
  if (handle === '*') {
    throw badRequest("Sharing with '*' is not possible; set public_read to let everybody read")
  }
  if (handle === systemHandle) throw badRequest(`Sharing with '${systemHandle}' is not possible`)
  const sharee = await findUser(db, handle)
  if (sharee.userId === ownerId) throw badRequest('Sharing with the owner is not possible')
  return sharee
}

/**
 * Holds a project against a transfer until the transaction ends: the sharee could become its owner.
 * @throws 404 when it is another's by now, or gone
 */
async function holdOwner(db: Db, { id, ownerId, name }: Shared): Promise<void> {
  const [held] = await db
    .select({ ownerId: projects.ownerId })
    .from(projects)
    .innerJoin(gate('shared', 'project', projects.projectId), sql`true`)
    .where(eq(projects.projectId, id))
    .for('share', { of: projects })
  if (held?.ownerId !== ownerId) throw notFound(`Project '${name}' not found`)
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

/** Shares of instances and of projects follow the same rules; `table` says which they are. */
export function createSharing(database: Database, table: ShareTable) {
  const { db } = database.short
  return {
    /** @returns whether the share is new */
    async share(shared: Shared, handle: string, role: Role): Promise<boolean> {
      return database.short.transaction(async ({ db }) => {
        const sharee = await findSharee(db, handle, shared.ownerId)
        await enter(db, 'shared', ['user', sharee.userId])
        if (table === projectShares) await holdOwner(db, shared)
        else await enter(db, 'shared', ['instance', shared.id])
        return putShare(db, table, shared.id, sharee.userId, role)
      })
    },

    async unshare(shared: Shared, handle: string): Promise<void> {
      const { userId } = await findUser(db, handle)
      const gone = await db
        .delete(table)
        .where(and(eq(table.sharedId, shared.id), eq(table.userId, userId)))
        .returning({ role: table.role })
      if (gone.length === 0) throw notFound(`'${shared.name}' is not shared with '${handle}'`)
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
