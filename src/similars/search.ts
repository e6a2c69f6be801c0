import { and, eq } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import type { Sought } from '../db/proposer.ts'
import { embeddings } from '../db/schema.ts'
import { noSuchEmbedding, type TextIds } from '../embeddings/embeddings.ts'
import { toFloat32 } from '../embeddings/vectors.ts'
import { badRequest } from '../errors.ts'
import type { ProjectWithCollection } from '../projects/project.ts'
import { promisedRecall, reaches } from '../search-indexes/effort.ts'
import type { SearchIndex } from '../search-indexes/policy.ts'
import { createFieldCheck, type MissingField } from './field-check.ts'
import type { GivenVector } from './given-vector.ts'
import type { Exclusion } from './metadata-filter.ts'
import { rankProposed } from './proposed.ts'
import type { Query } from './query.ts'
import { canScan, type Ranking, rankExactly, rankWithIndex } from './ranking.ts'
import { createStatements } from './statements.ts'
import { type Timings, timed } from './timings.ts'

export interface SearchOptions {
  readonly limit: number
  readonly offset: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  readonly exclude: Exclusion | undefined
  /** Compare every vector, also where there is an index. */
  readonly exact: boolean
  /** Recall@10 that is asked of an index; undefined for the usual one. */
  readonly minRecall: number | undefined
}

/** A ranking, and what it took to find it. */
export interface TimedRanking extends Ranking {
  readonly timings: Timings
  /** That the filter's field was nowhere to be found. */
  readonly missingField: MissingField | undefined
}

/**
 * Finds the stored embeddings that are similar to a stored one or to a vector, most similar first.
 * @param maxScan components of a project above which a page that its index cannot fill stays short
 */
export function createSearch(database: Database, maxScan: number) {
  const { proposer } = database
  const [{ db }, { db: search }] = [database.short, database.search]
  const all = createStatements(search)
  const missingField = createFieldCheck(search)

  /** No index where it is not known to find as much as was asked for, and an exact search may. */
  const promising = (index: SearchIndex | undefined, minRecall = promisedRecall) =>
    index === undefined || reaches(index, minRecall) || !canScan(index, maxScan) ? index : undefined

  async function rank(
    project: ProjectWithCollection,
    query: Query,
    sought: Sought,
    options: SearchOptions,
  ): Promise<TimedRanking> {
    const ranking = await find(project, query, sought, options)
    const { exclude } = query
    const missing = exclude && (await missingField(project.collection, exclude.path))
    return { ...ranking, missingField: missing }
  }

  async function find(
    { collection }: ProjectWithCollection,
    query: Query,
    sought: Sought,
    { exact, limit, offset, minRecall }: SearchOptions,
  ): Promise<Omit<TimedRanking, 'missingField'>> {
    const page = { limit, offset }
    const fits = collection.index?.dimensions === query.dimensions
    const index = exact || !fits ? undefined : promising(collection.index, minRecall)
    const { statements, timings } = timed(all)
    if (index !== undefined) {
      return {
        ...(await rankWithIndex(statements, query, page, index, maxScan, minRecall)),
        timings,
      }
    }
    const { dimensions } = query
    const start = performance.now()
    const proposed =
      proposer !== undefined && collection.dimensions === dimensions
        ? await rankProposed(
            { proposer, collection: { ...collection, dimensions }, sought },
            statements,
            query,
            page,
            exact || (minRecall !== undefined && minRecall > promisedRecall),
            maxScan,
          )
        : undefined
    if (proposed !== undefined) {
      timings[proposed.mode === 'exact' ? 'exactly' : 'byIndex'] = performance.now() - start
    }
    const ranking = proposed ?? (await rankExactly(statements, query, page))
    return { ...ranking, timings }
  }

  return {
    /** @throws 404 when none of the text_ids exists */
    async byTextId(
      project: ProjectWithCollection,
      textIds: TextIds,
      includeSelf: boolean,
      options: SearchOptions,
    ): Promise<TimedRanking> {
      const known = project.instance?.dimensions
      for (const textId of new Set(textIds)) {
        // Whoever asks for a text_id mostly knows that it is there: looked up only where it matters.
        const dimensions = known ?? (await dimensionsOf(db, project, textId))
        if (dimensions === undefined) continue
        const { collectionId } = project
        const query = { ...options, collectionId, source: { textId }, dimensions, includeSelf }
        const ranking = await rank(project, query, { textId }, options)
        const isThere = ranking.results.length > 0 || (ranking.hidden ?? 0) > 0
        if (isThere || known === undefined) return ranking
        const stored = await dimensionsOf(db, project, textId)
        if (stored === dimensions) return ranking
        // Of other dimensions than its instance: compared with its like.
        if (stored !== undefined)
          return rank(project, { ...query, dimensions: stored }, { textId }, options)
      }
      throw noSuchEmbedding(project, textIds[0] ?? '')
    },

    /** @throws 400 when the project has no instance or the vector does not fit it */
    async byVector(
      project: ProjectWithCollection,
      { elements, text }: GivenVector,
      options: SearchOptions,
    ): Promise<TimedRanking> {
      const { instance } = project
      if (instance === undefined) {
        throw badRequest(
          `Project '${project.owner}/${project.handle}' has no LLM service instance to search by vector with`,
        )
      }
      const { dimensions } = instance
      if (elements.length !== dimensions) {
        throw badRequest(
          `vector dimension mismatch: expected ${dimensions} dimensions, got ${elements.length}`,
        )
      }
      const float32 = toFloat32(elements)
      if (typeof float32 === 'string') throw badRequest(`vector: ${float32}`)
      const source = { vector: text }
      const { collectionId } = project
      const query = { ...options, collectionId, source, dimensions, includeSelf: true }
      return rank(project, query, { vector: float32 }, options)
    },
  }
}

/** @returns undefined when there is no such embedding */
async function dimensionsOf(db: Db, { collectionId }: ProjectWithCollection, textId: string) {
  const [found] = await db
    .select({ dimensions: embeddings.vectorDim })
    .from(embeddings)
    .where(and(eq(embeddings.collectionId, collectionId), eq(embeddings.textId, textId)))
  return found?.dimensions
}
