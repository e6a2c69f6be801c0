import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Project, ProjectWithCollection } from '../access/project.ts'
import type { ChangeListener } from '../collections/change-listener.ts'
import {
  type CountedChange,
  countChange,
  counting,
  maxNoted,
  noting,
} from '../collections/changes.ts'
import { createCollection } from '../collections/collections.ts'
import {
  countEmbeddings,
  deleteRows,
  findTextIds,
  groupsOf,
  inCollection,
  inRange,
  isAmong,
  selectTextIds,
} from '../collections/keys.ts'
import type { Database, Db } from '../db/database.ts'
import { collections, embeddings, projects } from '../db/schema.ts'
import { noSuchProject } from '../errors.ts'
import { lockedProject, lockProject } from '../projects/lock.ts'
import { noSuchEmbedding } from './read.ts'

/**
 * Deletion of embeddings. With `isDry`, these only find what would be deleted.
 * @param discarded is called when a collection may have been left behind
 */
export const createRemoval = (
  database: Database,
  vectorCache: ChangeListener,
  searchIndexes: Pick<ChangeListener, 'wake'>,
  discarded: () => void,
) => ({
  async removeMany(project: Project, chosen: Chosen, isDry: boolean): Promise<Deleted> {
    if (isDry) return countChosen(database.search.db, project, chosen)
    const deleted = await deleteMany(database, vectorCache, project, chosen)
    searchIndexes.wake()
    return deleted
  },

  /** @throws 404 if there is no such embedding */
  async remove(project: Project, textId: string, isDry = false): Promise<void> {
    if (isDry) {
      const { count } = await countChosen(database.search.db, project, { textIds: [textId] })
      if (count === 0) throw noSuchEmbedding(project, [textId])
      return
    }
    const change = await removeOne(database.short.db, project, textId)
    vectorCache.changed({ ...change, removed: [textId], added: [] })
    searchIndexes.wake()
  },

  /**
   * Gives the project an empty collection. The rows of the old one are deleted afterwards.
   * @returns how many embeddings there were
   */
  async removeAll(project: ProjectWithCollection, isDry: boolean): Promise<number> {
    if (isDry) return project.collection.vectors
    const removed = database.bulk.transaction((tx) => removeAll(tx.db, project))
    // Also after a failure, because the transaction may be committed and its answer lost.
    return removed.finally(discarded)
  },
})

/**
 * Deletes from the project's present collection, since the project may have been emptied after it
 * was looked up.
 * @throws 404 if there is no such embedding, or if the project is gone or has another owner by now
 */
export async function removeOne(db: Db, project: Project, textId: string): Promise<CountedChange> {
  for (let { collectionId } = project; ; ) {
    const present = await removeFrom(db, project, collectionId, textId)
    if (present === undefined) throw noSuchProject(project.owner, project.handle)
    const { revision } = present
    if (revision !== null) return { collectionId, after: revision - 1, revision }
    if (present.collectionId === collectionId) throw noSuchEmbedding(project, [textId])
    collectionId = present.collectionId
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
  const [present] = await db
    .with(held, gone, counted, noted)
    .select({ collectionId: held.collectionId, revision: noted.revision })
    .from(held)
    .leftJoin(noted, sql`true`)
  return present
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

/** Which embeddings to delete: those with these text_ids, or all that satisfy a condition. */
type Chosen = { readonly textIds: readonly string[] } | { readonly condition: SQL }

export interface Deleted {
  readonly count: number
  /** The given text_ids that do not exist, in their order; undefined for a condition. */
  readonly notFound: string[] | undefined
}

const rowsAtOnce = 1_000

/**
 * Deletes in one transaction, all or nothing. It goes in the order of the text_ids, a bounded
 * number of rows at a time, so that two requests that delete the same do not deadlock.
 * @throws 404 if the project is gone or has another owner by now
 */
export async function deleteMany(
  database: Database,
  vectorCache: ChangeListener,
  project: Project,
  chosen: Chosen,
): Promise<Deleted> {
  const { count, removed, change } = await database.bulk.transaction(async ({ db }) => {
    // Statistics that do not know the collection yet may make a scan or a sort of all rows look
    // cheaper.
    for (const plan of ['seqscan', 'bitmapscan', 'sort']) {
      await db.execute(sql.raw(`set local enable_${plan} = off`))
    }
    const { collectionId } = await lockProject(db, project, 'share')
    let count = 0
    // A condition may remove millions; of those, no more are kept than is noted.
    const removed: string[] = []
    for await (const textIds of lockGroups(db, collectionId, chosen)) {
      await deleteRows(db, and(inCollection(collectionId), isAmong(textIds)))
      count += textIds.length
      if ('textIds' in chosen || removed.length <= maxNoted) removed.push(...textIds)
    }
    if (count === 0) return { count, removed, change: undefined }
    const change = await countChange(db, collectionId, removed, { vectors: -count })
    return { count, removed, change }
  })
  if (change !== undefined) {
    if (count > maxNoted) vectorCache.forget(change.collectionId)
    else vectorCache.changed({ ...change, removed, added: [] })
  }
  return { count, notFound: notFoundOf(chosen, new Set(removed)) }
}

/** What `deleteMany` would delete now. */
async function countChosen(db: Db, { collectionId }: Project, chosen: Chosen): Promise<Deleted> {
  if ('condition' in chosen) {
    const count = await countEmbeddings(db, collectionId, chosen.condition)
    return { count, notFound: undefined }
  }
  const present = await findTextIds(db, collectionId, chosen.textIds)
  return { count: present.size, notFound: notFoundOf(chosen, present) }
}

const notFoundOf = (chosen: Chosen, present: ReadonlySet<string>) =>
  'textIds' in chosen
    ? [...new Set(chosen.textIds.filter((textId) => !present.has(textId)))]
    : undefined

/** Locks what is to be deleted, in the order of the text_ids, and yields them in groups. */
async function* lockGroups(db: Db, collectionId: number, chosen: Chosen): AsyncGenerator<string[]> {
  if ('textIds' in chosen) {
    for (const group of groupsOf(chosen.textIds)) {
      const locked = await lockRows(db, and(inCollection(collectionId), isAmong(group)))
      if (locked.length > 0) yield locked
    }
    return
  }
  for (let after = ''; ; ) {
    const locked = await lockRows(db, and(inRange(collectionId, { after }), chosen.condition))
    const last = locked.at(-1)
    if (last === undefined) return
    yield locked
    after = last
  }
}

async function lockRows(db: Db, where: SQL | undefined): Promise<string[]> {
  const rows = await selectTextIds(db, where).limit(rowsAtOnce).for('update')
  return rows.map(({ textId }) => textId)
}
