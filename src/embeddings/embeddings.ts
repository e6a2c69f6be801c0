import type { Project, ProjectWithCollection } from '../access/project.ts'
import type { ChangeListener } from '../collections/change-listener.ts'
import type { Database } from '../db/database.ts'
import type { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import { createRemoval } from './delete.ts'
import { findDifference, type HeldEmbedding } from './difference.ts'
import { type EmbeddingPage, listEmbeddings } from './list.ts'
import type { Projection } from './projection.ts'
import { createReadOne } from './read.ts'
import type { Upload } from './upload/schemas.ts'
import type { ConflictRule } from './upload/staging.ts'
import { type EmbedTexts, type StoredUpload, storeEmbeddings } from './upload/upload.ts'

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
    get: createReadOne(database),
    ...createRemoval(database, vectorCache, searchIndexes, discarded),

    list: (project: ProjectWithCollection, page: EmbeddingPage, showing: Projection) =>
      listEmbeddings(search, project, page, showing),

    async store(
      project: Project,
      uploads: readonly Upload[],
      rule: ConflictRule,
      embed: EmbedTexts | undefined,
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
