import { and, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import type { Account } from '../access/caller.ts'
import type { Db } from '../db/database.ts'
import { exclusiveLock } from '../db/row-locks.ts'
import { collections, instances, projects } from '../db/schema.ts'
import { type LlmServiceChanges, withChanges } from '../definitions/llm-service.ts'
import { conflict, noSuchInstance } from '../errors.ts'

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

interface InstanceChanges extends LlmServiceChanges {
  readonly definitionId?: number | null
  /** Null removes the provider's key. Undefined keeps it, as long as it goes to the same endpoint. */
  readonly keySealed: string | null | undefined
}

/** @throws 404, 409 if embeddings exist to which the changes do not fit */
export async function updateInstance(
  db: Db,
  owner: Account,
  handle: string,
  { keySealed, ...changes }: InstanceChanges,
  force: boolean,
): Promise<Row> {
  const stored = await lockInstance(db, owner, handle)
  const changed = withChanges(stored, changes)
  await refuseMixing(db, stored, changed, force)
  const isSameAddress =
    changed.endpoint === stored.endpoint && changed.apiStandard === stored.apiStandard
  const keptKey = isSameAddress ? stored.keySealed : null
  const [updated] = await db
    .update(instances)
    .set({ ...changes, keySealed: keySealed === undefined ? keptKey : keySealed })
    .where(eq(instances.instanceId, stored.instanceId))
    .returning()
  if (updated === undefined) throw noSuchInstance(owner.handle, handle)
  return updated
}

/** The fields that affect the vectors of stored texts. */
const shapeVectors = ['model', 'endpoint', 'documentPrefix', 'documentInputType'] as const

/** Prevents vectors of two models from mixing unnoticed. */
async function refuseMixing(db: Db, stored: Row, changed: Row, force: boolean): Promise<void> {
  const isResized = changed.dimensions !== stored.dimensions
  const isOtherModel = shapeVectors.some((field) => changed[field] !== stored[field])
  if (!isResized && (force || !isOtherModel)) return
  if (!(await hasEmbeddings(db, stored.instanceId))) return
  throw conflict(
    isResized
      ? `Cannot change dimensions from ${stored.dimensions} to ${changed.dimensions}: embeddings made with this instance are stored`
      : 'Cannot change model or endpoint: embeddings made with this instance are stored; add ?force=true if the vectors stay comparable',
  )
}

async function hasEmbeddings(db: Db, instanceId: number): Promise<boolean> {
  const [project] = await db
    .select({ projectId: projects.projectId })
    .from(projects)
    .innerJoin(collections, eq(collections.collectionId, projects.collectionId))
    .where(and(eq(projects.instanceId, instanceId), gt(collections.vectors, 0)))
    .limit(1)
  return project !== undefined
}
