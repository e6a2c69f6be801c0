import { and, eq, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { Target } from '../access/access.ts'
import { owners, type Project } from '../access/project.ts'
import { isEmbedding } from '../collections/keys.ts'
import type { Database, Db } from '../db/database.ts'
import { embeddings, projects } from '../db/schema.ts'
import { notFound } from '../errors.ts'
import {
  type Projection,
  presentEmbedding,
  projectedColumns,
  type StoredRow,
  showAll,
  withProjectedVector,
} from './projection.ts'

/**
 * How a read names an embedding: by the path segment decoded once or, if no such embedding exists,
 * by the segment as sent. The first text_id that exists counts.
 */
export type TextIds = readonly string[]

/**
 * The text_ids that the last path segment can mean: decoded once, then as sent. Some proxies and
 * clients encode twice, and a text_id may contain a percent sign.
 */
export function textIdsIn(url: string, decoded: string): TextIds {
  const [path = ''] = url.split(/[?#]/, 1)
  return [decoded, path.slice(path.lastIndexOf('/') + 1)]
}

export const noSuchEmbedding = ({ owner, handle }: Project, [textId = '']: TextIds) =>
  notFound(`Embedding '${textId}' not found in project '${owner}/${handle}'`)

/** An embedding that was read, and its collection. */
type FoundRow = StoredRow & { readonly collectionId: number }

const columnsOf = (showing: Projection) => ({
  textId: embeddings.textId,
  vectorDim: embeddings.vectorDim,
  createdAt: embeddings.createdAt,
  collectionId: embeddings.collectionId,
  ...projectedColumns(showing),
})

/** Built once, because that takes longer than the rest of such a read. */
function prepareReads(db: Db) {
  const prepared = (collectionId: SQLWrapper, name: string) =>
    db
      .select(columnsOf(showAll))
      .from(embeddings)
      .where(isEmbedding(collectionId, sql.placeholder('textId')))
      .prepare(name)
  const whole = prepared(sql`${sql.placeholder('collectionId')}`, 'get_embedding')
  return {
    byPath: prepared(sql`(${collectionOfPath(db)})`, 'get_embedding_by_path'),

    async byKey(collectionId: number, textId: string, showing: Projection) {
      const [row] =
        showing === showAll
          ? await whole.execute({ collectionId, textId })
          : await db
              .select(columnsOf(showing))
              .from(embeddings)
              .where(isEmbedding(collectionId, textId))
      return row && withProjectedVector(row, showing)
    },
  }
}

/** Reads one embedding by its key. */
export function createReadOne({ short: { db }, isDistributed }: Database) {
  const { byKey, byPath } = prepareReads(db)

  return {
    /**
     * Reads an embedding by its path alone, for a later `get`, which knows the project. It only
     * reads from public projects and the caller's own, to which access is never refused.
     */
    async readAhead(
      { owner, handle }: Target,
      textId: string,
      keyHash: string | undefined,
    ): Promise<FoundRow | undefined> {
      if (isDistributed) return undefined
      const values = { owner, handle, textId, keyHash: keyHash ?? null }
      const [row] = await byPath.execute(values)
      return row
    },

    /**
     * @param ahead the embedding, if it was already read with all its parts
     * @throws 404 if none of the text_ids exists
     */
    async get(project: Project, textIds: TextIds, ahead?: FoundRow, showing = showAll) {
      const { collectionId, projectId } = project
      for (const textId of new Set(textIds)) {
        const isAhead = ahead?.textId === textId && ahead.collectionId === collectionId
        const row = isAhead ? ahead : await byKey(collectionId, textId, showing)
        if (row !== undefined) return presentEmbedding(project, row, { project_id: projectId })
      }
      throw noSuchEmbedding(project, textIds)
    },
  }
}

const collectionOfPath = (db: Db) =>
  db
    .select({ collectionId: projects.collectionId })
    .from(projects)
    .innerJoin(owners, eq(owners.userId, projects.ownerId))
    .where(
      and(
        eq(owners.handle, sql.placeholder('owner')),
        eq(projects.handle, sql.placeholder('handle')),
        // Nothing is read ahead from others: a refusal must leave no trace, not even on the
        // connection.
        or(projects.publicRead, eq(owners.keyHash, sql.placeholder('keyHash'))),
      ),
    )
