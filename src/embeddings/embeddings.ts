import type { Project, ProjectWithCollection } from '../access/project.ts'
import type { ChangeListener } from '../collections/change-listener.ts'
import type { Database } from '../db/database.ts'
import type { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import type { ConflictRule } from './conflict-rule.ts'
import { type Chosen, countChosen, type Deleted, deleteMany } from './edits/delete-many.ts'
import { findDifference, type HeldEmbedding } from './edits/difference.ts'
import type { EmbedTexts } from './embed-texts.ts'
import { listEmbeddings } from './list.ts'
import type { EmbeddingPage } from './page.ts'
import type { Projection } from './projection.ts'
import { createReadOne } from './read-one.ts'
import { findOne, removeAll, removeOne } from './removal.ts'
import { type StoredUpload, storeEmbeddings } from './upload.ts'
import type { Upload } from './upload-checks.ts'

/**
 * The vectors of a project with their texts and metadata.
 * @param discarded is called when a collection may have been left behind
 */
export function createEmbeddings(
  database: Database,
  vectorCache: ChangeListener,
  schemes: MetadataSchemes,
  searchIndexes: Pick<ChangeListener, 'wake'>,
  discarded: () => void,
) {
  // Reads that go far down a list, or return many megabytes, do not belong to the short statements.
  const { db: search } = database.search

  return {
    ...createReadOne(database),
    ...createRemoval(database, vectorCache, searchIndexes, discarded),

    list: (project: ProjectWithCollection, page: EmbeddingPage, showing: Projection) =>
      listEmbeddings(search, project, page, showing),

    async store(
      project: Project,
      uploads: readonly Upload[],
      rule: ConflictRule,
      embed: EmbedTexts,
    ): Promise<StoredUpload> {
      const storing = { database, vectorCache, schemes, embed }
      const stored = await storeEmbeddings(storing, project, uploads, rule)
      searchIndexes.wake()
      return stored
    },

    /** Finds which of a client's embeddings the project lacks or has in another form. */
    difference: ({ collectionId }: Project, items: readonly HeldEmbedding[]) =>
      findDifference(search, collectionId, items),
  }
}

/** With `isDry`, these only find what would be deleted. */
const createRemoval = (
  database: Database,
  vectorCache: ChangeListener,
  searchIndexes: Pick<ChangeListener, 'wake'>,
  discarded: () => void,
) => ({
  async removeMany(project: Project, chosen: Chosen, isDry: boolean): Promise<Deleted> {
    if (isDry) return countChosen(database, project, chosen)
    const deleted = await deleteMany(database, vectorCache, project, chosen)
    searchIndexes.wake()
    return deleted
  },

  /** @throws 404 if there is no such embedding */
  async remove(project: Project, textId: string, isDry = false): Promise<void> {
    if (isDry) return findOne(database.search.db, project, textId)
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
