import { sql } from 'drizzle-orm'
import type { Project } from '../access/project.ts'
import { isEmbedding } from '../collections/keys.ts'
import type { Database } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { notFound } from '../errors.ts'
import {
  type Projection,
  presentEmbedding,
  projectedColumns,
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

const columnsOf = (showing: Projection) => ({
  textId: embeddings.textId,
  vectorDim: embeddings.vectorDim,
  createdAt: embeddings.createdAt,
  ...projectedColumns(showing),
})

/** Reads one embedding by its key. @throws 404 if none of the text_ids exists */
export function createReadOne({ short: { db } }: Database) {
  // Built once, because that takes longer than the rest of such a read.
  const whole = db
    .select(columnsOf(showAll))
    .from(embeddings)
    .where(isEmbedding(sql`${sql.placeholder('collectionId')}`, sql.placeholder('textId')))
    .prepare('get_embedding')

  return async (project: Project, textIds: TextIds, showing = showAll) => {
    const { collectionId, projectId } = project
    for (const textId of new Set(textIds)) {
      const select = db.select(columnsOf(showing)).from(embeddings)
      const [row] =
        showing === showAll
          ? await whole.execute({ collectionId, textId })
          : await select.where(isEmbedding(collectionId, textId))
      if (row === undefined) continue
      const shown = withProjectedVector(row, showing)
      return presentEmbedding(project, shown, { project_id: projectId })
    }
    throw noSuchEmbedding(project, textIds)
  }
}
