import { asc, eq, inArray } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import { type Account, type Caller, systemHandle } from '../access/caller.ts'
import type { Instance } from '../access/instance.ts'
import { requireStandard } from '../api-standards/api-standards.ts'
import type { Database, Db } from '../db/database.ts'
import { instanceShares, instances, projects, users } from '../db/schema.ts'
import type { LlmServiceChanges } from '../definitions/definitions.ts'
import { conflict, forbidden } from '../errors.ts'
import { requireCurrentKey } from '../secrets/key-check.ts'
import { instanceSecret } from '../secrets/owners.ts'
import type { Sealer } from '../secrets/sealing.ts'
import { refuseMixing } from './mixing.ts'
import { presentInstance } from './present.ts'
import { type Reference, usableDefinition } from './usable.ts'
import { completed, lockInstance, updateInstance } from './writing.ts'

export interface InstanceInput {
  readonly fields: LlmServiceChanges
  /** The provider's key in plain text; null and '' clear it, undefined leaves it. */
  readonly providerKey: string | null | undefined
  readonly definition: Reference | undefined
}

/** The services that make a user's embeddings, each with a provider's key that is never shown. */
export function createInstances(database: Database, sealer: Sealer) {
  const { db } = database.short

  /** Undefined leaves the stored key; the owner and the handle of an instance never change. */
  async function sealedKey(db: Db, owner: Account, handle: string, key: string | null | undefined) {
    if (key === undefined) return undefined
    if (!key) return null
    await requireCurrentKey(db, sealer)
    return sealer.seal(key, instanceSecret(owner.userId, handle))
  }

  async function store(
    db: Db,
    caller: Caller,
    owner: Account,
    handle: string,
    { fields, providerKey, definition: reference }: InstanceInput,
  ) {
    const definition = reference && (await usableDefinition(db, caller, owner, reference))
    const service = completed(fields, definition)
    await requireStandard(db, service.apiStandard)
    const columns = {
      ...service,
      definitionId: definition?.definitionId ?? null,
      // Neither null nor '' is a new key.
      keySealed: await sealedKey(db, owner, handle, providerKey || undefined),
    }
    const [created] = await db
      .insert(instances)
      .values({ ownerId: owner.userId, handle, ...columns })
      .onConflictDoNothing()
      .returning()
    return { created, columns }
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

    /** Creates the instance or replaces it; a stored provider key stays unless a new one is sent. */
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
        const { created, columns } = await store(db, caller, owner, handle, input)
        if (created !== undefined) {
          return { instance: presentInstance({ ...created, owner: owner.handle }), created: true }
        }
        const stored = await lockInstance(db, owner, handle)
        await refuseMixing(db, stored, columns, force)
        const updated = await updateInstance(db, stored, columns)
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
        const keySealed = await sealedKey(db, owner, instance.handle, key)
        const updated = await updateInstance(db, stored, { ...fields, keySealed })
        return presentInstance({ ...updated, owner: instance.owner })
      })
    },

    /**
     * @param isDry whether only to find out what it would come to
     * @returns how many shares went with it
     * @throws 409 while projects use it
     */
    async remove(instance: Instance, isDry: boolean): Promise<number> {
      const owner = { userId: instance.ownerId, handle: instance.owner }
      return database.short.transaction(async ({ db }) => {
        const { instanceId } = await lockInstance(db, owner, instance.handle)
        const uses = await db.$count(projects, eq(projects.instanceId, instanceId))
        if (uses > 0) {
          const name = `LLM service instance '${instance.owner}/${instance.handle}'`
          throw conflict(`Cannot delete ${name}: in use by ${uses} projects`)
        }
        const shares = eq(instanceShares.sharedId, instanceId)
        if (isDry) return db.$count(instanceShares, shares)
        const ended = await db
          .delete(instanceShares)
          .where(shares)
          .returning({ role: instanceShares.role })
        await db.delete(instances).where(eq(instances.instanceId, instanceId))
        return ended.length
      })
    },
  }
}

/** By their keys each: a condition on either would be held against the instances of everybody. */
const ownedOrShared = (db: Db, userId: number) =>
  union(
    db.select({ id: instances.instanceId }).from(instances).where(eq(instances.ownerId, userId)),
    db
      .select({ id: instanceShares.sharedId })
      .from(instanceShares)
      .where(eq(instanceShares.userId, userId)),
  )
