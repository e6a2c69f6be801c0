import { and, eq, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { Target } from '../access/access.ts'
import { countEmbeddings, isEmbedding } from '../collections/keys.ts'
import type { Database, Db } from '../db/database.ts'
import { embeddings, projects } from '../db/schema.ts'
import { notFound } from '../errors.ts'
import { jsonList } from '../json/json-text.ts'
import type { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import { owners, type Project, type ProjectWithCollection } from '../projects/project.ts'
import type { SearchIndexes } from '../search-indexes/search-indexes.ts'
import type { VectorCache } from '../vector-cache/vector-cache.ts'
import type { ConflictRule } from './conflict-rule.ts'
import { type Chosen, countChosen, type Deleted, deleteMany } from './edits/delete-many.ts'
import { findDifference, type Held } from './edits/difference.ts'
import { type EmbeddingPage, type PageGroup, readPage } from './page.ts'
import { removeAll, removeOne } from './removal.ts'
import {
  presentEmbedding,
  type Showing,
  type StoredRow,
  showAll,
  shownColumns,
  vectorAsShown,
} from './shown.ts'
import { type StoredUpload, storeEmbeddings, type Upload } from './upload.ts'

/**
 * How a request names an embedding: by the path segment decoded once, and if that is absent by the
 * segment as it was sent; the first text_id that exists is meant.
 */
export type TextIds = readonly string[]

const columnsOf = (showing: Showing) => ({
  textId: embeddings.textId,
  vectorDim: embeddings.vectorDim,
  createdAt: embeddings.createdAt,
  collectionId: embeddings.collectionId,
  ...shownColumns(showing),
})

async function* presentGroups(
  project: Project,
  first: PageGroup,
  others: AsyncGenerator<PageGroup>,
) {
  const present = ({ rows, isLast }: PageGroup) => ({
    items: rows.map((row) => presentEmbedding(project, row, {})),
    isLast,
  })
  try {
    yield present(first)
    for await (const group of others) yield present(group)
  } finally {
    await others.return(undefined)
  }
}

export const noSuchEmbedding = ({ owner, handle }: Project, textId: string) =>
  notFound(`Embedding '${textId}' not found in project '${owner}/${handle}'`)

type Row = StoredRow & { readonly collectionId: number }

/** Built once: that takes longer than the rest of such a read. */
function prepareReads(db: Db) {
  const read = (collectionId: SQLWrapper, name: string) =>
    db
      .select(columnsOf(showAll))
      .from(embeddings)
      .where(isEmbedding(collectionId, sql.placeholder('textId')))
      .prepare(name)
  const collectionOfPath = db
    .select({ collectionId: projects.collectionId })
    .from(projects)
    .innerJoin(owners, eq(owners.userId, projects.ownerId))
    .where(
      and(
        eq(owners.handle, sql.placeholder('owner')),
        eq(projects.handle, sql.placeholder('handle')),
        // Of others nothing is read ahead: a refusal must leave no trace, not even on the connection.
        or(projects.publicRead, eq(owners.keyHash, sql.placeholder('keyHash'))),
      ),
    )
  return {
    byCollection: read(sql`${sql.placeholder('collectionId')}`, 'get_embedding'),
    byPath: read(sql`(${collectionOfPath})`, 'get_embedding_by_path'),
  }
}

/**
 * The vectors of a project with their texts and metadata.
 * @param discarded to be told when a collection may have been left behind
 */
export function createEmbeddings(
  database: Database,
  vectorCache: VectorCache,
  schemes: MetadataSchemes,
  searchIndexes: SearchIndexes,
  discarded: () => void,
) {
  const { db } = database.short
  const reads = prepareReads(db)

  async function readOne(collectionId: number, textId: string, showing: Showing) {
    const [row] =
      showing === showAll
        ? await reads.byCollection.execute({ collectionId, textId })
        : await db
            .select(columnsOf(showing))
            .from(embeddings)
            .where(isEmbedding(collectionId, textId))
    return row && vectorAsShown(row, showing)
  }

  return {
    /**
     * Reads the first of it; the rest of a page of large texts as it is taken.
     * @param page where it has a condition, `total_count` is how many satisfy it: all are looked at
     * @returns the list, and behind which text_id the next page begins, if there is one
     */
    async list(project: ProjectWithCollection, page: EmbeddingPage, showing: Showing) {
      const { collectionId, collection } = project
      const { limit, offset, after, condition } = page
      // Not among the short statements: a page can be far down, and of many megabytes.
      const { db } = database.search
      const total_count =
        condition === undefined
          ? collection.vectors
          : await countEmbeddings(db, collectionId, condition)
      const groups = readPage(db, collectionId, { ...page, looksAhead: true }, showing)
      const { value: first } = await groups.next()
      if (first === undefined) throw new Error('a page has a group')
      const fields = { total_count, limit, offset, ...(after !== undefined && { after }) }
      const list = await jsonList('embeddings', presentGroups(project, first, groups), fields)
      return { list, next: first.next }
    },

    /**
     * Reads an embedding by its path alone, for `get`, which is told the project: of a public one, or of one
     * of the caller's own, which nobody refuses.
     */
    async readAhead(
      { owner, handle }: Target,
      textId: string,
      keyHash: string | undefined,
    ): Promise<Row | undefined> {
      const values = { owner, handle, textId, keyHash: keyHash ?? null }
      const [row] = await reads.byPath.execute(values)
      return row
    },

    /**
     * @param ahead what may have been read already, as `showAll` says
     * @throws 404 when none of the text_ids exists
     */
    async get(project: Project, textIds: TextIds, ahead?: Row, showing = showAll) {
      const { collectionId, projectId } = project
      for (const textId of new Set(textIds)) {
        const isAhead = ahead?.textId === textId && ahead.collectionId === collectionId
        const row = isAhead ? ahead : await readOne(collectionId, textId, showing)
        if (row !== undefined) return presentEmbedding(project, row, { project_id: projectId })
      }
      throw noSuchEmbedding(project, textIds[0] ?? '')
    },

    async store(
      project: Project,
      uploads: readonly Upload[],
      rule: ConflictRule,
    ): Promise<StoredUpload> {
      const stored = await storeEmbeddings(database, vectorCache, schemes, project, uploads, rule)
      searchIndexes.wake()
      return stored
    },

    /** What of these a client has, and the project has not, or in another form. */
    difference: ({ collectionId }: Project, items: readonly Held[]) =>
      findDifference(database.search.db, collectionId, items),

    /** @param isDry whether only to count what would be deleted */
    async removeMany(project: Project, chosen: Chosen, isDry: boolean): Promise<Deleted> {
      if (isDry) return countChosen(database, project, chosen)
      const deleted = await deleteMany(database, vectorCache, project, chosen)
      searchIndexes.wake()
      return deleted
    },

    /**
     * @param isDry whether only to find which one would be deleted
     * @returns the text_id that was deleted
     * @throws 404 when none of them exists
     */
    async remove(project: Project, textIds: TextIds, isDry = false): Promise<string> {
      for (const textId of new Set(textIds)) {
        if (isDry) {
          const { count } = await countChosen(database, project, { textIds: [textId] })
          if (count > 0) return textId
          continue
        }
        const change = await removeOne(db, project, textId)
        if (change === undefined) continue
        vectorCache.changed({ ...change, removed: [textId], added: [] })
        searchIndexes.wake()
        return textId
      }
      throw noSuchEmbedding(project, textIds[0] ?? '')
    },

    /**
     * Gives the project an empty collection; the rows of the other are deleted afterwards.
     * @param isDry whether only to count them
     * @returns how many there were
     */
    async removeAll(project: ProjectWithCollection, isDry: boolean): Promise<number> {
      if (isDry) return project.collection.vectors
      return (
        database.bulk
          .transaction((tx) => removeAll(tx.db, project))
          // Also after a failure: the transaction may be committed and the answer lost.
          .finally(() => {
            vectorCache.forget(project.collection.collectionId)
            discarded()
          })
      )
    },
  }
}
