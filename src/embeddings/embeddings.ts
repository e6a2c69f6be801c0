import { and, eq, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { Target } from '../access/access.ts'
import type { Database, Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { embeddings, projects } from '../db/schema.ts'
import { notFound } from '../errors.ts'
import { jsonList, jsonObject } from '../json/json-text.ts'
import type { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import { owners, type Project, type ProjectWithCollection } from '../projects/project.ts'
import type { SearchIndexes } from '../search-indexes/search-indexes.ts'
import type { Metadata } from './metadata.ts'
import { readPage, type StoredRow } from './page.ts'
import { removeAll, removeOne } from './removal.ts'
import { storeEmbeddings, type Upload } from './upload.ts'

/**
 * How a request names an embedding: by the path segment decoded once, and if that is absent by the
 * segment as it was sent; the first text_id that exists is meant.
 */
export type TextIds = readonly string[]

/** Vectors and metadata as JSON text, which goes into answers without being parsed and printed again. */
const columns = {
  textId: embeddings.textId,
  vector: sql<string>`${embeddings.vector}::text`,
  vectorDim: embeddings.vectorDim,
  text: embeddings.text,
  metadata: sql<string | null>`${embeddings.metadata}::text`,
  createdAt: embeddings.createdAt,
}

/** An embedding as the API shows it. */
const presentEmbedding = <More extends object>(project: Project, row: StoredRow, more: More) =>
  jsonObject<{ vector: number[]; metadata?: Metadata }, ReturnType<typeof fieldsOf> & More>(
    { ...fieldsOf(project, row), ...more },
    { vector: row.vector, metadata: row.metadata },
  )

async function* presentGroups(project: Project, groups: ReturnType<typeof readPage>) {
  for await (const { rows, isLast } of groups) {
    yield { items: rows.map((row) => presentEmbedding(project, row, {})), isLast }
  }
}

const fieldsOf = (project: Project, row: StoredRow) => ({
  text_id: row.textId,
  user_handle: project.owner,
  project_handle: project.handle,
  ...(project.instance !== undefined && { instance_handle: project.instance.handle }),
  vector_dim: row.vectorDim,
  ...(row.text !== null && { text: row.text }),
  created_at: row.createdAt.toISOString(),
})

export const noSuchEmbedding = ({ owner, handle }: Project, textId: string) =>
  notFound(`Embedding '${textId}' not found in project '${owner}/${handle}'`)

type Row = StoredRow & { readonly collectionId: number }

/** Built once: that takes longer than the rest of such a read. */
function prepareReads(db: Db) {
  const read = (collectionId: SQLWrapper, name: string) =>
    db
      .select({ ...columns, collectionId: embeddings.collectionId })
      .from(embeddings)
      .where(
        and(
          eq(embeddings.collectionId, collectionId),
          eq(embeddings.textId, sql.placeholder('textId')),
        ),
      )
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
  schemes: MetadataSchemes,
  searchIndexes: SearchIndexes,
  discarded: () => void,
) {
  const { db } = database.short
  const reads = prepareReads(db)

  return {
    /** Reads the first of it; the rest of a page of large texts as it is taken. */
    list(project: ProjectWithCollection, page: Page) {
      // Not among the short statements: a page can be far down, and of many megabytes.
      const groups = readPage(database.search.db, project.collectionId, page)
      const fields = { total_count: project.collection.vectors, ...page }
      return jsonList('embeddings', presentGroups(project, groups), fields)
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
     * @param ahead what may have been read already
     * @throws 404 when none of the text_ids exists
     */
    async get(project: Project, textIds: TextIds, ahead?: Row) {
      const { collectionId, projectId } = project
      for (const textId of new Set(textIds)) {
        const isAhead = ahead?.textId === textId && ahead.collectionId === collectionId
        const [row] = isAhead ? [ahead] : await reads.byCollection.execute({ collectionId, textId })
        if (row !== undefined) return presentEmbedding(project, row, { project_id: projectId })
      }
      throw noSuchEmbedding(project, textIds[0] ?? '')
    },

    async store(project: Project, uploads: readonly Upload[]): Promise<void> {
      await storeEmbeddings(database, schemes, project, uploads)
      searchIndexes.wake()
    },

    /** @returns the text_id that was deleted @throws 404 when none of them exists */
    async remove(project: Project, textIds: TextIds): Promise<string> {
      for (const textId of new Set(textIds)) {
        const change = await removeOne(db, project, textId)
        if (change === undefined) continue
        database.proposer?.changed({ ...change, removed: [textId], added: [] })
        searchIndexes.wake()
        return textId
      }
      throw noSuchEmbedding(project, textIds[0] ?? '')
    },

    /**
     * Gives the project an empty collection; the rows of the other are deleted afterwards.
     * @returns how many there were
     */
    async removeAll(project: Project): Promise<number> {
      return (
        database.bulk
          .transaction((tx) => removeAll(tx.db, project))
          // Also after a failure: the transaction may be committed and the answer lost.
          .finally(discarded)
      )
    },
  }
}
