import { sql } from 'drizzle-orm'
import { type Account, systemHandle } from '../access/caller.ts'
import type { Db } from '../db/database.ts'
import type { ShareTable } from '../db/schema.ts'
import { badRequest } from '../errors.ts'
import { findUser } from '../users/users.ts'

export type Role = 'reader' | 'editor'

/**
 * Finds the account to share with.
 * @throws 400 if the account cannot be given a share, 404 if there is no such user
 */
export async function findGrantee(db: Db, handle: string, ownerId: number): Promise<Account> {
  if (handle === '*') {
    throw badRequest("Sharing with '*' is not possible; set public_read to let everybody read")
  }
  if (handle === systemHandle) throw badRequest(`Sharing with '${systemHandle}' is not possible`)
  const grantee = await findUser(db, handle)
  if (grantee.userId === ownerId) throw badRequest('Sharing with the owner is not possible')
  return grantee
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
