import { and, type SQL, sql } from 'drizzle-orm'
import type { Project } from '../../access/project.ts'
import type { ChangeListener } from '../../collections/change-listener.ts'
import { countChange, maxNoted } from '../../collections/changes.ts'
import {
  countEmbeddings,
  deleteRows,
  findTextIds,
  groupsOf,
  inCollection,
  inRange,
  isAmong,
  selectTextIds,
} from '../../collections/keys.ts'
import type { Database, Db } from '../../db/database.ts'
import { lockProject } from '../../projects/lock.ts'

/** Which embeddings to delete: those with these text_ids, or all that satisfy a condition. */
export type Chosen = { readonly textIds: readonly string[] } | { readonly condition: SQL }

export interface Deleted {
  readonly count: number
  /** The given text_ids that do not exist, in their order; undefined for a condition. */
  readonly notFound: readonly string[] | undefined
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
  const { result, told, change } = await database.bulk.transaction(async ({ db }) => {
    // Statistics that do not know the collection yet may make a scan or a sort of all rows look
    // cheaper.
    for (const plan of ['seqscan', 'bitmapscan', 'sort']) {
      await db.execute(sql.raw(`set local enable_${plan} = off`))
    }
    const { collectionId } = await lockProject(db, project, 'share')
    let count = 0
    const told: string[] = []
    const found = new Set<string>()
    for await (const locked of lockGroups(db, collectionId, chosen)) {
      await deleteRows(db, and(inCollection(collectionId), isAmong(locked)))
      count += locked.length
      if (told.length <= maxNoted) told.push(...locked)
      if ('textIds' in chosen) for (const textId of locked) found.add(textId)
    }
    const notFound = 'textIds' in chosen ? missingOf(chosen.textIds, found) : undefined
    const result = { count, notFound }
    if (count === 0) return { result, told, change: undefined }
    return { result, told, change: await countChange(db, collectionId, told, { vectors: -count }) }
  })
  if (change === undefined) return result
  if (result.count > maxNoted) vectorCache.forget(change.collectionId)
  else vectorCache.changed({ ...change, removed: told, added: [] })
  return result
}

/** What `deleteMany` would delete now. */
export async function countChosen(
  database: Database,
  { collectionId }: Project,
  chosen: Chosen,
): Promise<Deleted> {
  const { db } = database.search
  if (!('textIds' in chosen)) {
    return {
      count: await countEmbeddings(db, collectionId, chosen.condition),
      notFound: undefined,
    }
  }
  const found = await findTextIds(db, collectionId, chosen.textIds)
  return { count: found.size, notFound: missingOf(chosen.textIds, found) }
}

const missingOf = (textIds: readonly string[], found: ReadonlySet<string>) => [
  ...new Set(textIds.filter((textId) => !found.has(textId))),
]

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
