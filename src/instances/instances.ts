import { type Account, type Caller, systemHandle } from '../access/caller.ts'
import type { Instance } from '../access/instance.ts'
import { requireStandard } from '../api-standards/api-standards.ts'
import type { Database } from '../db/database.ts'
import type { LlmServiceChanges } from '../definitions/definitions.ts'
import { forbidden } from '../errors.ts'
import type { Sealer } from '../secrets/sealing.ts'
import { listInstances } from './listing.ts'
import { refuseMixing } from './mixing.ts'
import { presentInstance } from './present.ts'
import {
  type InstanceInput,
  insertInstance,
  lockInstance,
  removeInstance,
  sealedKey,
  updateInstance,
} from './writing.ts'

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

  return {
    list: (user: Account) => listInstances(db, user),

    get: presentInstance,

    /**
     * Creates or replaces the instance. `updateInstance` decides whether a stored provider key
     * stays.
     */
    async put(
      caller: Caller,
      owner: Account,
      handle: string,
      input: InstanceInput,
      force: boolean,
    ) {
      if (owner.handle === systemHandle) {
        throw forbidden(`'${systemHandle}' has definitions only, no instances`)
      }
      return database.short.transaction(async ({ db }) => {
        const { created, columns } = await insertInstance(db, sealer, caller, owner, handle, input)
        if (created !== undefined) {
          return { instance: presentInstance({ ...created, owner: owner.handle }), created: true }
        }
        const stored = await lockInstance(db, owner, handle)
        await refuseMixing(db, stored, columns, force)
        const updated = await updateInstance(db, stored, columns)
        changed(stored.instanceId)
        return { instance: presentInstance({ ...updated, owner: owner.handle }), created: false }
      })
    },

    async patch(
      instance: Instance,
      fields: LlmServiceChanges,
      key: InstanceInput['providerKey'],
      force: boolean,
    ) {
      const owner = { userId: instance.ownerId, handle: instance.owner }
      return database.short.transaction(async ({ db }) => {
        const stored = await lockInstance(db, owner, instance.handle)
        if (fields.apiStandard !== undefined) await requireStandard(db, fields.apiStandard)
        await refuseMixing(db, stored, fields, force)
        const keySealed = await sealedKey(db, sealer, owner, instance.handle, key)
        const updated = await updateInstance(db, stored, { ...fields, keySealed })
        changed(stored.instanceId)
        return presentInstance({ ...updated, owner: instance.owner })
      })
    },

    async remove(instance: Instance, isDry: boolean): Promise<number> {
      const shares = await database.short.transaction(({ db }) =>
        removeInstance(db, instance, isDry),
      )
      if (!isDry) changed(instance.instanceId)
      return shares
    },
  }
}
