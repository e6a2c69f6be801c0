import { and, eq, sql } from 'drizzle-orm'
import type { Project } from '../access/access.ts'
import type { Database, Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { noSuchEmbedding, type TextIds } from '../embeddings/embeddings.ts'
import { toFloat32 } from '../embeddings/vectors.ts'
import { badRequest } from '../errors.ts'
import type { SearchIndexes } from '../search-indexes/search-indexes.ts'
import type { Exclusion } from './metadata-filter.ts'
import { type Ranking, rankExactly, rankWithIndex } from './ranking.ts'

export interface SearchOptions {
  readonly limit: number
  readonly offset: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  readonly exclude: Exclusion | undefined
  /** Compare every vector, also where there is an index. */
  readonly exact: boolean
}

interface Sought {
  readonly vector: string | number[]
  readonly dimensions: number
}

/** Finds the stored embeddings that are similar to a stored one or to a vector, most similar first. */
export function createSearch({ search: db }: Database, indexes: SearchIndexes) {
  const findSource = prepareSource(db)

  function rank(project: Project, sought: Sought, options: SearchOptions, self: string) {
    const { projectId } = project
    const query = { projectId, ...sought, ...options, self }
    const index = options.exact ? undefined : indexes.of(projectId, sought.dimensions)
    return index === undefined
      ? rankExactly(db, query, options)
      : rankWithIndex(db, query, options, index)
  }

  return {
    /** @throws 404 when none of the text_ids exists */
    async byTextId(
      project: Project,
      textIds: TextIds,
      includeSelf: boolean,
      options: SearchOptions,
    ): Promise<Ranking> {
      for (const textId of new Set(textIds)) {
        const [source] = await findSource.execute({ projectId: project.projectId, textId })
        if (source !== undefined) return rank(project, source, options, includeSelf ? '' : textId)
      }
      throw noSuchEmbedding(project, textIds[0] ?? '')
    },

    /** @throws 400 when the project has no instance or the vector does not fit it */
    async byVector(project: Project, vector: number[], options: SearchOptions): Promise<Ranking> {
      const { instance } = project
      if (instance === undefined) {
        throw badRequest(
          `Project '${project.owner}/${project.handle}' has no LLM service instance to search by vector with`,
        )
      }
      const { dimensions } = instance
      if (vector.length !== dimensions) {
        throw badRequest(
          `vector dimension mismatch: expected ${dimensions} dimensions, got ${vector.length}`,
        )
      }
      const float32 = toFloat32(vector)
      if (typeof float32 === 'string') throw badRequest(`vector: ${float32}`)
      return rank(project, { vector, dimensions }, options, '')
    },
  }
}

function prepareSource(db: Db) {
  return db
    .select({
      // As text, which goes back into the search as it is, without being parsed.
      vector: sql<string>`${embeddings.vector}::text`,
      dimensions: embeddings.vectorDim,
    })
    .from(embeddings)
    .where(
      and(
        eq(embeddings.projectId, sql.placeholder('projectId')),
        eq(embeddings.textId, sql.placeholder('textId')),
      ),
    )
    .prepare('find_source')
}
