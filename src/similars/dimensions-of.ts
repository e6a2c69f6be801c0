import { and, eq } from 'drizzle-orm'
import type { ProjectWithCollection } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'

/** @returns undefined when there is no such embedding */
export async function dimensionsOf(
  db: Db,
  { collectionId }: ProjectWithCollection,
  textId: string,
) {
  const [found] = await db
    .select({ dimensions: embeddings.vectorDim })
    .from(embeddings)
    .where(and(eq(embeddings.collectionId, collectionId), eq(embeddings.textId, textId)))
  return found?.dimensions
}
