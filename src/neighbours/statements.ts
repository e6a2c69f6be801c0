import { and, asc, eq, gt } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { embeddings, projects } from '../db/schema.ts'

const maxGroupRows = 2_000

/** The text_ids of a collection behind `after`, in groups. */
export async function* readTextIds(
  db: Db,
  collectionId: number,
  after: string | undefined,
): AsyncGenerator<string[]> {
  for (let last = after; ; ) {
    const rows = await db
      .select({ textId: embeddings.textId })
      .from(embeddings)
      .where(
        and(
          eq(embeddings.collectionId, collectionId),
          last === undefined ? undefined : gt(embeddings.textId, last),
        ),
      )
      .orderBy(asc(embeddings.textId))
      .limit(maxGroupRows)
    yield rows.map(({ textId }) => textId)
    last = rows.at(-1)?.textId
    if (rows.length < maxGroupRows) return
  }
}

/** Whether a project still files its embeddings there: it does not once it was emptied or deleted. */
export const isInUse = async (db: Db, collectionId: number): Promise<boolean> =>
  (await db.$count(projects, eq(projects.collectionId, collectionId))) > 0
