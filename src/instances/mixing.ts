import { and, eq, gt } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { collections, type instances, projects } from '../db/schema.ts'
import type { LlmServiceChanges } from '../definitions/definitions.ts'
import { conflict } from '../errors.ts'

/** The fields that affect the vectors of stored texts. */
const shapeVectors = ['model', 'endpoint', 'documentPrefix', 'documentInputType'] as const

/**
 * Prevents vectors of two models from mixing unnoticed.
 * @throws 409 if embeddings exist and the dimensions change or, unless forced, another of these
 * fields
 */
export async function refuseMixing(
  db: Db,
  stored: typeof instances.$inferSelect,
  changes: LlmServiceChanges,
  force: boolean,
): Promise<void> {
  const { dimensions = stored.dimensions } = changes
  const resized = dimensions !== stored.dimensions
  const remodelled = shapeVectors.some((field) => {
    // Changing a field to null counts as a change.
    const { [field]: value = stored[field] } = changes
    return value !== stored[field]
  })
  if (!resized && !(remodelled && !force)) return
  if (!(await hasEmbeddings(db, stored.instanceId))) return
  throw conflict(
    resized
      ? `Cannot change dimensions from ${stored.dimensions} to ${dimensions}: embeddings made with this instance are stored`
      : 'Cannot change model or endpoint: embeddings made with this instance are stored; add ?force=true if the vectors stay comparable',
  )
}

async function hasEmbeddings(db: Db, instanceId: number): Promise<boolean> {
  const [found] = await db
    .select({ projectId: projects.projectId })
    .from(projects)
    .innerJoin(collections, eq(collections.collectionId, projects.collectionId))
    .where(and(eq(projects.instanceId, instanceId), gt(collections.vectors, 0)))
    .limit(1)
  return found !== undefined
}
