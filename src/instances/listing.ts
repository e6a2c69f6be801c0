import { asc, eq, inArray } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import type { Account } from '../access/caller.ts'
import type { Db } from '../db/database.ts'
import { instanceShares, instances, users } from '../db/schema.ts'
import { presentInstance } from './present.ts'

/**
 * Looks each set up by its own index. A condition with `or` would be checked against all instances.
 */
const ownedOrShared = (db: Db, userId: number) =>
  union(
    db.select({ id: instances.instanceId }).from(instances).where(eq(instances.ownerId, userId)),
    db
      .select({ id: instanceShares.sharedId })
      .from(instanceShares)
      .where(eq(instanceShares.userId, userId)),
  )

/** The instances that a user owns or has a share of. */
export async function listInstances(db: Db, user: Account) {
  const rows = await db
    .select({ instance: instances, owner: users.handle })
    .from(instances)
    .innerJoin(users, eq(users.userId, instances.ownerId))
    .where(inArray(instances.instanceId, ownedOrShared(db, user.userId)))
    .orderBy(asc(users.handle), asc(instances.handle))
  return rows.map(({ instance, owner }) => presentInstance({ ...instance, owner }))
}
