import { and, eq, sql } from 'drizzle-orm'
import { type Account, type Caller, systemHandle } from '../access/caller.ts'
import type { Db } from '../db/database.ts'
import { sharedLock } from '../db/row-locks.ts'
import { instanceShares, instances, users } from '../db/schema.ts'
import { findDefinition } from '../definitions/definitions.ts'
import { badRequest, forbidden } from '../errors.ts'

/** How a request body names a definition or an instance. */
export interface Reference {
  readonly owner: string
  readonly handle: string
}

/**
 * Users may use their own definitions and those of `_system`. The administrator may use all.
 * @throws 403 for another user's definition, 400 if it does not exist
 */
export async function usableDefinition(
  db: Db,
  caller: Caller,
  user: Account,
  reference: Reference,
) {
  const { owner, handle } = reference
  if (caller.kind !== 'admin' && owner !== user.handle && owner !== systemHandle) {
    throw forbidden(`The definitions of '${owner}' are not yours to use`)
  }
  const [account] = await db
    .select({ userId: users.userId, handle: users.handle })
    .from(users)
    .where(eq(users.handle, owner))
  const definition = account && (await findDefinition(db, account, handle))
  if (definition === undefined) {
    throw badRequest(`definition_handle: there is no LLM service definition '${owner}/${handle}'`)
  }
  return definition
}

/**
 * The instance that a project of `user` may use: the user's own, or one shared with the user. The
 * administrator may use any.
 * @throws 400 if it does not exist, 403 if it may not be used
 */
export async function usableInstance(
  db: Db,
  caller: Caller,
  user: Account,
  { owner, handle }: Reference,
) {
  const [found] = await db
    .select({
      instanceId: instances.instanceId,
      ownerId: instances.ownerId,
      model: instances.model,
      dimensions: instances.dimensions,
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
  if (found === undefined) {
    throw badRequest(`LLM service instance '${owner}/${handle}' not found`)
  }
  if (caller.kind !== 'admin' && found.ownerId !== user.userId && found.role === null) {
    throw forbidden(`LLM service instance '${owner}/${handle}' is not shared with '${user.handle}'`)
  }
  const { instanceId, model, dimensions } = found
  return { instanceId, owner, handle, model, dimensions }
}
