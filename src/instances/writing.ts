import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Account } from '../access/caller.ts'
import type { Db } from '../db/database.ts'
import { exclusiveLock } from '../db/row-locks.ts'
import { instances } from '../db/schema.ts'
import type { LlmService, LlmServiceChanges } from '../definitions/definitions.ts'
import { badRequest, noSuchInstance } from '../errors.ts'

type Row = typeof instances.$inferSelect

/** The row, locked against uploads and other changes until the transaction ends. */
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

interface Keyed {
  readonly keySealed: string | null | undefined
  readonly definitionId?: number | null
}

export async function updateInstance(
  db: Db,
  { instanceId, handle, ownerId }: Row,
  changes: LlmServiceChanges & Keyed,
): Promise<Row> {
  const [updated] = await db
    .update(instances)
    .set({ handle, ...changes })
    .where(eq(instances.instanceId, instanceId))
    .returning()
  if (updated === undefined) throw noSuchInstance(String(ownerId), handle)
  return updated
}

/** Explicit fields override those of the definition. @throws 400 naming what is missing */
export function completed(
  fields: LlmServiceChanges,
  definition: LlmService | undefined,
): LlmService {
  const { endpoint = definition?.endpoint, apiStandard = definition?.apiStandard } = fields
  const { model = definition?.model, dimensions = definition?.dimensions } = fields
  const { description = null } = fields
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
  return { endpoint, apiStandard, model, dimensions, description }
}
