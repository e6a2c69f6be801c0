import { and, eq, sql } from 'drizzle-orm'
import type { Project } from '../access/project.ts'
import { type CountedChange, counting, noting } from '../collections/changes.ts'
import { createCollection } from '../collections/collections.ts'
import { findTextIds, inCollection } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { collections, embeddings, projects } from '../db/schema.ts'
import { noSuchProject } from '../errors.ts'
import { lockedProject, lockProject } from '../projects/lock.ts'
import { noSuchEmbedding } from './text-ids.ts'

/** @throws 404 if there is no such embedding for `removeOne` to delete */
export async function findOne(db: Db, project: Project, textId: string): Promise<void> {
  const found = await findTextIds(db, project.collectionId, [textId])
  if (!found.has(textId)) throw noSuchEmbedding(project, [textId])
}

/**
 * Deletes from the project's present collection, since the project may have been emptied after it
 * was looked up.
 * @throws 404 if there is no such embedding, or if the project is gone or has another owner by now
 */
export async function removeOne(db: Db, project: Project, textId: string): Promise<CountedChange> {
  for (let { collectionId } = project; ; ) {
    const found = await removeFrom(db, project, collectionId, textId)
    if (found === undefined) throw noSuchProject(project.owner, project.handle)
    const { revision } = found
    if (revision !== null) return { collectionId, after: revision - 1, revision }
    if (found.collectionId === collectionId) throw noSuchEmbedding(project, [textId])
    collectionId = found.collectionId
  }
}

/**
 * Deletes and counts in one statement, if this is still the project's collection. It holds the
 * project, so that nobody empties it at the same time. If two requests delete one row, only one
 * finds it.
 */
async function removeFrom(db: Db, project: Project, collectionId: number, textId: string) {
  // A subquery, because Citus misreads the result of a CTE that locks rows itself.
  const held = db
    .$with('held')
    .as(db.select().from(lockedProject(db, project, 'share').as('held_project')))
  const isStill = sql`exists (select from ${held} where ${held.collectionId} = ${collectionId})`
  const gone = db.$with('gone').as(
    db
      .delete(embeddings)
      .where(and(inCollection(collectionId), eq(embeddings.textId, textId), isStill))
      .returning({ textId: embeddings.textId }),
  )
  const where = sql`exists (select from ${gone})`
  const counted = counting(db, collectionId, { vectors: -1, where })
  const noted = db.$with('noted').as(noting(db, db, counted, JSON.stringify([textId])))
  const [found] = await db
    .with(held, gone, counted, noted)
    .select({ collectionId: held.collectionId, revision: noted.revision })
    .from(held)
    .leftJoin(noted, sql`true`)
  return found
}

/**
 * Gives the project an empty collection, however many embeddings it has.
 * @returns how many it had
 * @throws 404 if the project is gone or has another owner by now
 */
export async function removeAll(db: Db, project: Project): Promise<number> {
  const held = await lockProject(db, project, 'update')
  const [emptied] = await db
    .select({ vectors: collections.vectors })
    .from(collections)
    .where(eq(collections.collectionId, held.collectionId))
  const collectionId = await createCollection(db)
  const ofProject = eq(projects.projectId, project.projectId)
  await db.update(projects).set({ collectionId }).where(ofProject)
  return emptied?.vectors ?? 0
}
