import { and, eq, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { Target } from '../access/access.ts'
import { owners, type Project } from '../access/project.ts'
import { isEmbedding } from '../collections/keys.ts'
import type { Database, Db } from '../db/database.ts'
import { embeddings, projects } from '../db/schema.ts'
import {
  type Projection,
  presentEmbedding,
  projectedColumns,
  type StoredRow,
  showAll,
  withProjectedVector,
} from './projection.ts'
import { noSuchEmbedding, type TextIds } from './text-ids.ts'

/** An embedding as it is read, and where. */
type FoundRow = StoredRow & { readonly collectionId: number }

const columnsOf = (showing: Projection) => ({
  textId: embeddings.textId,
  vectorDim: embeddings.vectorDim,
  createdAt: embeddings.createdAt,
  collectionId: embeddings.collectionId,
  ...projectedColumns(showing),
})

/** Built once: that takes longer than the rest of such a read. */
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
     * Reads an embedding by its path alone, for `get`, which is told the project: of a public one, or of one
     * of the caller's own, which nobody refuses.
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
     * @param ahead what may have been read already, as `showAll` says
     * @throws 404 when none of the text_ids exists
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
        // Of others nothing is read ahead: a refusal must leave no trace, not even on the connection.
        or(projects.publicRead, eq(owners.keyHash, sql.placeholder('keyHash'))),
      ),
    )
