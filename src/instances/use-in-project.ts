import { and, eq, sql } from 'drizzle-orm'
import type { Account, Caller } from '../access/caller.ts'
import type { Db } from '../db/database.ts'
import { sharedLock } from '../db/row-locks.ts'
import { instanceShares, instances, users } from '../db/schema.ts'
import { badRequest, forbidden } from '../errors.ts'

/** How a request body names a definition or an instance. */
export interface Reference {
  readonly owner: string
  readonly handle: string
}

/**
 * The instance that a project of `user` may use: the user's own, or one shared with the user. The
 * administrator may use any. It is locked until the transaction ends.
 * @param usedId the instance that the project uses already, which needs no share any more
 * @throws 400 if it does not exist, 403 if it may not be used
 */
export async function usableInstance(
  db: Db,
  caller: Caller,
  user: Account,
  { owner, handle }: Reference,
  usedId?: number | null,
) {
  const [instance] = await db
    .select({
      instanceId: instances.instanceId,
      ownerId: instances.ownerId,
      model: instances.model,
      dimensions: instances.dimensions,
      endpoint: instances.endpoint,
      role: instanceShares.role,
    })
    .from(instances)
    .innerJoin(users, eq(users.userId, instances.ownerId))
    .leftJoin(
      instanceShares,
      and(
        eq(instanceShares.sharedId, instances.instanceId),
        eq(instanceShares.userId, user.userId),
      ),
    )
    .innerJoin(sharedLock('instance', instances.instanceId), sql`true`)
    .where(and(eq(users.handle, owner), eq(instances.handle, handle)))
    // Its dimensions must not change before the project uses it.
    .for('share', { of: instances })
  if (instance === undefined) {
    throw badRequest(`LLM service instance '${owner}/${handle}' not found`)
  }
  const { ownerId, role, ...shown } = instance
  const isUsable =
    caller.kind === 'admin' ||
    ownerId === user.userId ||
    role !== null ||
    shown.instanceId === usedId
  if (!isUsable) {
    throw forbidden(`LLM service instance '${owner}/${handle}' is not shared with '${user.handle}'`)
  }
  return { ...shown, owner, handle }
}
