import { and, eq, sql } from 'drizzle-orm'
import { isStill, type Project } from '../access/project.ts'
import { counting, noting } from '../collections/changes.ts'
import { createCollection } from '../collections/collections.ts'
import type { Db } from '../db/database.ts'
import { exclusiveLock, sharedLock } from '../db/row-locks.ts'
import { collections, embeddings, projects } from '../db/schema.ts'
import { noSuchProject } from '../errors.ts'

/**
 * Deletes and counts in one statement. It holds the project, so that nobody empties it at the same
 * time, and takes the collection that is the project's then; of two that delete one row, one finds it.
 * @returns the collection, with its revision since then; undefined when there was no such embedding
 * @throws 404 when the project is gone, or another's by now
 */
export async function removeOne(
  db: Db,
  project: Project,
  textId: string,
): Promise<{ collectionId: number; revision: number } | undefined> {
  const held = db
    .$with('held')
    .as(
      db
        .select({ collectionId: projects.collectionId })
        .from(projects)
        .innerJoin(sharedLock('project', projects.projectId), sql`true`)
        .where(isStill(project))
        .for('share', { of: projects }),
    )
  const gone = db.$with('gone').as(
    db
      .delete(embeddings)
      .where(
        and(
          sql`${embeddings.collectionId} = (select ${held.collectionId} from ${held})`,
          eq(embeddings.textId, textId),
        ),
      )
      .returning({ collectionId: embeddings.collectionId }),
  )
  const itsId = sql`(select ${gone.collectionId} from ${gone})`
  const counted = counting(db, itsId, { vectors: -1 })
  const textIds = sql`jsonb_build_array(${textId}::text)`
  const noted = db.$with('noted').as(noting(db, db, counted, textIds))
  const [found] = await db
    .with(held, gone, counted, noted)
    .select({ collectionId: noted.collectionId, revision: noted.revision })
    .from(held)
    .leftJoin(noted, sql`true`)
  if (found === undefined) throw noSuchProject(project.owner, project.handle)
  const { collectionId, revision } = found
  return collectionId === null || revision === null ? undefined : { collectionId, revision }
}

/**
 * Gives the project an empty collection, however many embeddings it has.
 * @returns how many it had
 * @throws 404 when the project is gone, or another's by now
 */
export async function removeAll(db: Db, project: Project): Promise<number> {
  const { projectId, owner, handle } = project
  const [held] = await db
    .select({ collectionId: projects.collectionId })
    .from(projects)
    .innerJoin(exclusiveLock('project', projects.projectId), sql`true`)
    .where(isStill(project))
    .for('update', { of: projects })
  if (held === undefined) throw noSuchProject(owner, handle)
  const [emptied] = await db
    .select({ vectors: collections.vectors })
    .from(collections)
    .where(eq(collections.collectionId, held.collectionId))
  const collectionId = await createCollection(db)
  await db.update(projects).set({ collectionId }).where(eq(projects.projectId, projectId))
  return emptied?.vectors ?? 0
}
