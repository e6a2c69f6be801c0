import type { Database } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { noSuchEmbedding, type TextIds } from '../embeddings/embeddings.ts'
import type { Parts } from '../embeddings/include/parts.ts'
import { toFloat32 } from '../embeddings/vectors.ts'
import { badRequest } from '../errors.ts'
import { compileFilter } from '../filters/condition.ts'
import { comparedPaths, type Filter } from '../filters/filter.ts'
import type { Collection, ProjectWithCollection } from '../projects/project.ts'
import { measuredPoint, reaches } from '../search-indexes/effort.ts'
import type { SearchIndex } from '../search-indexes/policy.ts'
import type { QueryVector } from '../vector-cache/candidates.ts'
import type { VectorCache } from '../vector-cache/vector-cache.ts'
import { rankCached } from './cached.ts'
import { dimensionsOf } from './dimensions-of.ts'
import { createFieldCheck, type MissingField } from './field-check.ts'
import { createFilterEstimate } from './filter-estimate.ts'
import { type FilteredQuery, rankFiltered, rankKept } from './filtered.ts'
import type { GivenVector } from './given-vector.ts'
import type { Grouping } from './group-statements.ts'
import { rankGroups } from './groups.ts'
import { createKeptIds } from './kept-ids.ts'
import type { Exclusion } from './metadata-filter.ts'
import { readParts } from './parts.ts'
import type { Query } from './query.ts'
import { canScan, type Ranking, type Result, rankExactly, rankWithIndex } from './ranking.ts'
import { createStatements } from './statements.ts'
import { addTime, type Timings, timed } from './timings.ts'
import { countSimilar } from './total.ts'

export interface SearchOptions {
  readonly limit: number
  readonly offset: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  readonly exclude: Exclusion | undefined
  /** Only those are results for which it holds. */
  readonly filter: Filter | undefined
  /** Compare every vector, also where there is an index. */
  readonly exact: boolean
  /** Recall@10 that is asked of an index; undefined for the usual one. */
  readonly minRecall: number | undefined
  /** Whether a stored embedding that is searched for may be a result. */
  readonly includeSelf: boolean
  /** Then limit and offset count groups. */
  readonly grouping: Grouping | undefined
  /** Whether all that are similar are counted. */
  readonly totals: boolean
}

/** What is searched for: a stored embedding, by the first text_id that exists, or a vector. */
export type SearchedFor = { readonly textIds: TextIds } | { readonly vector: GivenVector }

/** A ranking, and what it took to find it. */
export interface TimedRanking extends Ranking {
  readonly timings: Timings
  /** A field that a filter names, and that was nowhere to be found. */
  readonly missingField: MissingField | undefined
  /** How many documents are at least as similar as the threshold says, where that was asked for. */
  readonly totalSimilar: number | undefined
}

/**
 * Finds the stored embeddings that are similar to a stored one or to a vector, most similar first.
 * @param maxScan components of a project above which a page that its index cannot fill stays short
 */
export function createSearch(database: Database, cache: VectorCache, maxScan: number) {
  const [{ db }, { db: search }] = [database.short, database.search]
  const all = createStatements(search, database.engine === 'embedded')
  const missingField = createFieldCheck(search)
  const known = { estimate: createFilterEstimate(search), keptIds: createKeptIds(search) }

  /** No index where it is not known to find as much as was asked for, and an exact search may. */
  const promising = (index: SearchIndex | undefined, minRecall: number | undefined) =>
    index === undefined || reaches(index, minRecall) || !canScan(index, maxScan) ? index : undefined

  async function rank(
    { collection }: ProjectWithCollection,
    query: Query,
    vector: QueryVector,
    options: SearchOptions,
  ): Promise<TimedRanking> {
    const { grouping, exact } = options
    const { statements, timings } = timed(all)
    const rankPage = (page: Page) =>
      find(collection, { statements, timings, query, vector }, { ...options, ...page })
    const mayGroupAll =
      exact || collection.index === undefined || canScan(collection.index, maxScan)
    const ranking =
      grouping === undefined
        ? await rankPage(options)
        : await rankGroups({ db: search, query, grouping, rank: rankPage, mayGroupAll }, options)
    return {
      ...ranking,
      timings,
      missingField: await firstMissing(collection, options),
      totalSimilar: options.totals ? await countSimilar(search, query) : undefined,
    }
  }

  async function find(
    collection: Collection,
    { statements, timings, query, vector }: Prepared,
    { exact, limit, offset, minRecall, filter }: SearchOptions,
  ): Promise<Ranking> {
    const page = { limit, offset }
    const fits = collection.index?.dimensions === query.dimensions
    const index = exact || !fits ? undefined : promising(collection.index, minRecall)
    const filtered: FilteredQuery | undefined = filter && { statements, query, filter, page }
    // Small projects are compared as fast, and an exact search of the database compares all.
    const asked = index !== undefined || cache.isOn ? filtered : undefined
    const found = asked && (await rankKept(asked, collection, known))
    if (found !== undefined && 'ranking' in found) return found.ranking
    const { dimensions } = query
    const start = performance.now()
    const kept = found?.shares.kept
    const isForIndex = index !== undefined && kept !== undefined && kept < leastByCache
    const cached =
      collection.dimensions === dimensions && !isForIndex
        ? await rankCached(
            { cache, collection: { ...collection, dimensions }, vector, kept },
            statements,
            query,
            page,
            exact,
            maxScan,
          )
        : undefined
    if (cached !== undefined) {
      addTime(timings, cached.mode === 'exact' ? 'exactly' : 'byIndex', start)
      return cached
    }
    if (index === undefined) return rankExactly(statements, query, page)
    const lowRecall = reaches(index, minRecall) ? undefined : measuredPoint(index)?.recall
    const ranking =
      filtered === undefined || found === undefined
        ? await rankWithIndex(statements, query, page, index, maxScan, minRecall)
        : await rankFiltered(filtered, found.shares, index, maxScan, minRecall)
    return ranking.mode === 'exact' ? ranking : { ...ranking, lowRecall }
  }

  async function firstMissing(collection: Collection, { exclude, filter }: SearchOptions) {
    const fields = [
      ...(exclude ? [{ path: exclude.path, looksIntoArrays: false }] : []),
      ...(filter ? comparedPaths(filter) : []).map((path) => ({ path, looksIntoArrays: true })),
    ]
    for (const field of fields.slice(0, mostPathsChecked)) {
      const missing = await missingField(collection, field)
      if (missing !== undefined) return missing
    }
    return undefined
  }

  async function toStored(
    project: ProjectWithCollection,
    textIds: TextIds,
    options: SearchOptions,
  ): Promise<TimedRanking> {
    const known = project.instance?.dimensions
    for (const textId of new Set(textIds)) {
      // Whoever asks for a text_id mostly knows that it is there: looked up only where it matters.
      const dimensions = known ?? (await dimensionsOf(db, project, textId))
      if (dimensions === undefined) continue
      const query = queryFor(project, { textId }, dimensions, options)
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
  }

  async function toVector(
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
    const query = queryFor(project, { vector: text }, dimensions, options)
    return rank(project, query, { vector: float32 }, options)
  }

  return {
    /**
     * @throws 404 when none of the text_ids exists, 400 when the project has no instance or the vector does
     *   not fit it
     */
    similarTo: (
      project: ProjectWithCollection,
      soughtFor: SearchedFor,
      options: SearchOptions,
    ): Promise<TimedRanking> =>
      'vector' in soughtFor
        ? toVector(project, soughtFor.vector, options)
        : toStored(project, soughtFor.textIds, options),

    /** What is stored with these results. */
    partsOf: ({ collectionId }: ProjectWithCollection, results: readonly Result[], parts: Parts) =>
      readParts(
        search,
        collectionId,
        results.map(({ id }) => id),
        parts,
      ),
  }
}

interface Prepared extends ReturnType<typeof timed> {
  readonly query: Query
  readonly vector: QueryVector
}

/** Of what a filter keeps less of, the index finds enough sooner than so many candidates are ranked. */
const leastByCache = 0.25
/** Each that was not seen yet costs a statement. */
const mostPathsChecked = 4

const queryFor = (
  { collectionId }: ProjectWithCollection,
  source: Query['source'],
  dimensions: number,
  { threshold, exclude, filter, includeSelf }: SearchOptions,
): Query => ({
  collectionId,
  source,
  dimensions,
  threshold,
  exclude,
  filter: filter && compileFilter(filter),
  includeSelf: 'vector' in source || includeSelf,
})
