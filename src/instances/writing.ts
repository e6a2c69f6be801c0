import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Account, Caller } from '../access/caller.ts'
import type { Instance } from '../access/instance.ts'
import { requireStandard } from '../api-standards/api-standards.ts'
import type { Db } from '../db/database.ts'
import { exclusiveLock } from '../db/row-locks.ts'
import { instanceShares, instances, projects } from '../db/schema.ts'
import type { LlmService, LlmServiceChanges } from '../definitions/definitions.ts'
import { badRequest, conflict, noSuchInstance } from '../errors.ts'
import { requireCurrentKey } from '../secrets/key-check.ts'
import { instanceSecret } from '../secrets/owners.ts'
import type { Sealer } from '../secrets/sealing.ts'
import { type Reference, usableDefinition } from './usable.ts'

type Row = typeof instances.$inferSelect

/** Selects the row and locks it against uploads and other changes until the transaction ends. */
export async function lockInstance(db: Db, owner: Account, handle: string): Promise<Row> {
  const [row] = await db
    .select(getTableColumns(instances))
    .from(instances)
    .innerJoin(exclusiveLock('instance', instances.instanceId), sql`true`)
    .where(and(eq(instances.ownerId, owner.userId), eq(instances.handle, handle)))
    .for('update', { of: instances })
  if (row === undefined) throw noSuchInstance(owner.handle, handle)
  return row
}

export interface InstanceInput {
  readonly fields: LlmServiceChanges
  /** The provider's key in plain text; null and '' clear it, undefined keeps it. */
  readonly providerKey: string | null | undefined
  readonly definition: Reference | undefined
}

interface Keyed {
  readonly keySealed: string | null | undefined
  readonly definitionId?: number | null
}

export async function updateInstance(
  db: Db,
  stored: Row,
  changes: LlmServiceChanges & Keyed,
): Promise<Row> {
  const { instanceId, handle, ownerId } = stored
  const [updated] = await db
    .update(instances)
    .set({ handle, ...changes, keySealed: keyAfter(stored, changes) })
    .where(eq(instances.instanceId, instanceId))
    .returning()
  if (updated === undefined) throw noSuchInstance(String(ownerId), handle)
  return updated
}

/**
 * A key must only be sent where its owner intended: if the endpoint or the API standard changes,
 * the stored key is dropped, unless a new one is given.
 */
function keyAfter(stored: Row, { keySealed, ...changes }: LlmServiceChanges & Keyed) {
  if (keySealed !== undefined) return keySealed
  const { endpoint = stored.endpoint, apiStandard = stored.apiStandard } = changes
  const isSame = endpoint === stored.endpoint && apiStandard === stored.apiStandard
  return isSame ? stored.keySealed : null
}

/**
 * Undefined keeps the stored key if `keyAfter` allows it. The seal is bound to the instance's owner
 * and handle, which never change.
 */
export async function sealedKey(
  db: Db,
  sealer: Sealer,
  owner: Account,
  handle: string,
  key: InstanceInput['providerKey'],
) {
  if (key === undefined) return undefined
  if (!key) return null
  await requireCurrentKey(db, sealer)
  return sealer.seal(key, instanceSecret(owner.userId, handle))
}

/**
 * @returns the new row, or undefined if the handle is taken; and the columns with which to update
 * the existing row then
 */
export async function insertInstance(
  db: Db,
  sealer: Sealer,
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
    // A new instance has no key to clear, so null and '' mean no key.
    keySealed: await sealedKey(db, sealer, owner, handle, providerKey || undefined),
  }
  const [created] = await db
    .insert(instances)
    .values({ ownerId: owner.userId, handle, ...columns })
    .onConflictDoNothing()
    .returning()
  return { created, columns }
}

/** Explicit fields override those of the definition. @throws 400 if required fields are missing */
function completed(fields: LlmServiceChanges, definition: LlmService | undefined): LlmService {
  const { endpoint = definition?.endpoint, apiStandard = definition?.apiStandard } = fields
  const { model = definition?.model, dimensions = definition?.dimensions } = fields
  const { description = null } = fields
  const { queryInputType = definition?.queryInputType ?? null } = fields
  const { documentInputType = definition?.documentInputType ?? null } = fields
  const { queryPrefix = definition?.queryPrefix ?? null } = fields
  const { documentPrefix = definition?.documentPrefix ?? null } = fields
  if (
    endpoint === undefined ||
    apiStandard === undefined ||
    model === undefined ||
    dimensions === undefined
  ) {
    throw badRequest(
      'An LLM service instance needs endpoint, api_standard, model and dimensions, or definition_owner and definition_handle',
    )
  }
  return {
    ...{ endpoint, apiStandard, model, dimensions, description },
    ...{ queryInputType, documentInputType, queryPrefix, documentPrefix },
  }
}

/**
 * Has to run in a transaction.
 * @param isDry only counts what would be deleted
 * @returns the number of shares deleted with it
 * @throws 409 if projects use it
 */
export async function removeInstance(db: Db, instance: Instance, isDry: boolean): Promise<number> {
  const owner = { userId: instance.ownerId, handle: instance.owner }
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
}
