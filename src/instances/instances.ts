import { asc, eq, inArray } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import type { Instance } from '../access/access.ts'
import { type Account, type Caller, systemHandle } from '../access/caller.ts'
import { requireStandard } from '../api-standards/api-standards.ts'
import type { Database, Db } from '../db/database.ts'
import { instanceShares, instances, projects, users } from '../db/schema.ts'
import { type LlmServiceChanges, presentLlmService } from '../definitions/llm-service.ts'
import { conflict, forbidden } from '../errors.ts'
import { requireCurrentKey } from '../secrets/key-check.ts'
import { instanceSecret } from '../secrets/owners.ts'
import type { Sealer } from '../secrets/sealing.ts'
import { completeService } from './create.ts'
import { lockInstance, updateInstance } from './update.ts'
import type { Reference } from './use-in-project.ts'

interface InstanceInput {
  readonly fields: LlmServiceChanges
  /** The provider's key in plain text. In a PATCH, null and '' clear it. */
  readonly providerKey: string | null | undefined
  readonly definition: Reference | undefined
}

/** An instance as the API shows it. It never contains the provider's key in any form. */
const presentInstance = (instance: Instance) => ({
  instance_id: instance.instanceId,
  instance_handle: instance.handle,
  owner: instance.owner,
  ...presentLlmService(instance),
  ...(instance.definitionId !== null && { definition_id: instance.definitionId }),
  has_api_key: instance.keySealed !== null,
})

/**
 * The embedding services of users. A provider's key is never shown.
 * @param changed called when cached data about an instance may be outdated
 */
export function createInstances(
  database: Database,
  sealer: Sealer,
  changed: (instanceId: number) => void,
) {
  const { db } = database.short

  /** The seal is bound to the instance's owner and handle, which never change. */
  async function sealedKey(
    db: Db,
    owner: Account,
    handle: string,
    key: InstanceInput['providerKey'],
  ) {
    if (key === undefined) return undefined
    if (!key) return null
    await requireCurrentKey(db, sealer)
    return sealer.seal(key, instanceSecret(owner.userId, handle))
  }

  return {
    /** The instances that a user owns or has a share of. */
    async list(user: Account) {
      const rows = await db
        .select({ instance: instances, owner: users.handle })
        .from(instances)
        .innerJoin(users, eq(users.userId, instances.ownerId))
        .where(inArray(instances.instanceId, ownedOrShared(db, user.userId)))
        .orderBy(asc(users.handle), asc(instances.handle))
      return rows.map(({ instance, owner }) => presentInstance({ ...instance, owner }))
    },

    get: presentInstance,

    /** Creates or replaces the instance. */
    async put(
      caller: Caller,
      owner: Account,
      handle: string,
      { fields, providerKey, definition }: InstanceInput,
      force: boolean,
    ) {
      if (owner.handle === systemHandle) {
        throw forbidden(`'${systemHandle}' has definitions only, no instances`)
      }
      const put = await database.short.transaction(async ({ db }) => {
        const service = await completeService(db, caller, owner, fields, definition)
        // A PUT only replaces a stored key: null and '' are no new one.
        const keySealed = await sealedKey(db, owner, handle, providerKey || undefined)
        const columns = { ...service, keySealed }
        const [created] = await db
          .insert(instances)
          .values({ ownerId: owner.userId, handle, ...columns })
          .onConflictDoNothing()
          .returning()
        const instance = created ?? (await updateInstance(db, owner, handle, columns, force))
        return { ...instance, owner: owner.handle, created: created !== undefined }
      })
      if (!put.created) changed(put.instanceId)
      return { instance: presentInstance(put), created: put.created }
    },

    async patch(
      { ownerId, owner, handle }: Instance,
      fields: LlmServiceChanges,
      providerKey: InstanceInput['providerKey'],
      force: boolean,
    ) {
      const account = { userId: ownerId, handle: owner }
      const updated = await database.short.transaction(async ({ db }) => {
        if (fields.apiStandard !== undefined) await requireStandard(db, fields.apiStandard)
        const keySealed = await sealedKey(db, account, handle, providerKey)
        return updateInstance(db, account, handle, { ...fields, keySealed }, force)
      })
      changed(updated.instanceId)
      return presentInstance({ ...updated, owner })
    },

    /** @throws 409 if projects use it */
    async remove({ ownerId, owner, handle }: Instance): Promise<void> {
      const removedId = await database.short.transaction(async ({ db }) => {
        const { instanceId } = await lockInstance(db, { userId: ownerId, handle: owner }, handle)
        const uses = await db.$count(projects, eq(projects.instanceId, instanceId))
        if (uses > 0) {
          throw conflict(
            `Cannot delete LLM service instance '${owner}/${handle}': in use by ${uses} projects`,
          )
        }
        await db.delete(instances).where(eq(instances.instanceId, instanceId))
        return instanceId
      })
      changed(removedId)
    },
  }
}

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
