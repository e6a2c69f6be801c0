import type { Collection, ProjectWithCollection } from '../access/project.ts'
import { dimensionsOf } from '../collections/keys.ts'
import type { Database, Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import type { Parts } from '../embeddings/projection.ts'
import { noSuchEmbedding, type TextIds } from '../embeddings/read.ts'
import { badRequest } from '../errors.ts'
import { compileFilter } from '../filters/condition.ts'
import { comparedPaths } from '../filters/filter.ts'
import { toFloat32 } from '../vectors/float32.ts'
import { readParts } from './answer/parts.ts'
import { reaches } from './index/effort.ts'
import type { SearchIndex } from './index/policy.ts'
import { fromComment } from './index/recall/recall-curve.ts'
import type { VectorCache } from './memory/vector-cache.ts'
import type { GivenVector } from './options/given-vector.ts'
import type { SearchedFor, SearchOptions } from './options/search-options.ts'
import { type Strategy, strategiesFor } from './plan.ts'
import { isFiltered, type Query, type Search } from './statements/query.ts'
import { countSimilar } from './statements/total.ts'
import { createFieldCheck, type MissingField } from './strategies/field-check.ts'
import { rankGroups } from './strategies/groups.ts'
import type { Ranking, Result } from './strategies/ranking.ts'
import { createStrategies } from './strategies/strategies.ts'

/** A ranking and how it was found. */
export interface FoundRanking extends Ranking {
  readonly strategy: Strategy
  /** Duration, including waits for a connection. */
  readonly milliseconds: number
  /** A field that a filter names and that none of the documents looked at has. */
  readonly missingField: MissingField | undefined
  /** How many documents reach the threshold; undefined if this was not asked for. */
  readonly totalSimilar: number | undefined
}

interface Searching {
  readonly db: Db
  readonly search: Db
  readonly cache: VectorCache
  readonly maxScan: number
  readonly strategies: ReturnType<typeof createStrategies>
  readonly missingField: ReturnType<typeof createFieldCheck>
}

/**
 * Finds the stored embeddings most similar to a stored one or to a vector.
 * @param maxScan largest project, in components, in which a page that the index cannot fill is
 *   completed by an exact search
 */
export function createSearch(database: Database, cache: VectorCache, maxScan: number) {
  const { db: search } = database.search
  const searching: Searching = {
    db: database.short.db,
    search,
    cache,
    maxScan,
    strategies: createStrategies(database, cache),
    missingField: createFieldCheck(search),
  }

  return {
    /**
     * @throws 404 if none of the text_ids exists, 400 if the project has no instance or the vector
     *   does not fit it
     */
    similarTo: (
      project: ProjectWithCollection,
      soughtFor: SearchedFor,
      options: SearchOptions,
    ): Promise<FoundRanking> =>
      'vector' in soughtFor
        ? toVector(searching, project, soughtFor.vector, options)
        : toStored(searching, project, soughtFor.textIds, options),

    partsOf: ({ collectionId }: ProjectWithCollection, results: readonly Result[], parts: Parts) =>
      readParts(
        search,
        collectionId,
        results.map(({ id }) => id),
        parts,
      ),
  }
}

async function toStored(
  searching: Searching,
  project: ProjectWithCollection,
  textIds: TextIds,
  options: SearchOptions,
): Promise<FoundRanking> {
  const { db } = searching
  const known = project.instance?.dimensions
  for (const textId of new Set(textIds)) {
    // Most requests name existing embeddings, so existence is checked only after an empty search.
    const dimensions = known ?? (await dimensionsOf(db, project.collectionId, textId))
    if (dimensions === undefined) continue
    const query = queryFor(project, { textId }, dimensions, options)
    const ranking = await rank(searching, project, query, options)
    const isThere = ranking.results.length > 0 || (ranking.hidden ?? 0) > 0
    if (isThere || known === undefined) return ranking
    const stored = await dimensionsOf(db, project.collectionId, textId)
    if (stored === dimensions) return ranking
    // Its dimensions differ from the instance's: compare it with embeddings of its own dimensions.
    if (stored !== undefined)
      return rank(searching, project, { ...query, dimensions: stored }, options)
  }
  throw noSuchEmbedding(project, textIds)
}

async function toVector(
  searching: Searching,
  project: ProjectWithCollection,
  { elements, text }: GivenVector,
  options: SearchOptions,
): Promise<FoundRanking> {
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
  const query = queryFor(project, { vector: float32 }, dimensions, options)
  return rank(searching, project, { ...query, vectorText: text }, options)
}

async function rank(
  searching: Searching,
  { collection }: ProjectWithCollection,
  query: Query,
  options: SearchOptions,
): Promise<FoundRanking> {
  const { search, maxScan, missingField } = searching
  const start = performance.now()
  const { grouping } = options
  const index = indexOn(collection, query.dimensions)
  const canScan = collection.vectors * query.dimensions <= maxScan
  let strategy: Strategy = 'database-exact'
  const rankPage = async (page: Page) => {
    const found = await find(searching, collection, index, query, options, canScan, page)
    strategy = found.strategy
    return found.ranking
  }
  const mayGroupAll = options.exact || collection.index === undefined || canScan
  const ranking =
    grouping === undefined
      ? await rankPage(options)
      : await rankGroups({ db: search, query, grouping, rank: rankPage, mayGroupAll }, options)
  const milliseconds = performance.now() - start
  return {
    ...{ ...ranking, strategy, milliseconds },
    missingField: await firstMissing(missingField, collection, options),
    totalSimilar: options.totals ? await countSimilar(search, query) : undefined,
  }
}

async function find(
  { cache, strategies }: Searching,
  { index: _, ...collection }: Collection,
  index: SearchIndex | undefined,
  query: Query,
  { exact, minRecall }: SearchOptions,
  canScan: boolean,
  page: Page,
) {
  const { dimensions } = query
  const asked: Search = {
    ...{ query, page, minRecall, canScan, index },
    collection: { ...collection, dimensions },
  }
  const plan = strategiesFor({
    ...{ exact, canScan },
    isFiltered: isFiltered(query),
    inMemory: collection.dimensions === dimensions && cache.serves(asked.collection),
    index: index === undefined ? 'none' : reaches(index, minRecall) ? 'reaches' : 'falls short',
  })
  for (const strategy of plan) {
    const ranking = await strategies[strategy](asked)
    if (ranking !== undefined) return { strategy, ranking }
  }
  throw new Error(`None of ${plan.join(', ')} has found anything`)
}

async function firstMissing(
  missingField: Searching['missingField'],
  collection: Collection,
  { exclude, filter }: SearchOptions,
) {
  const fields = [
    ...(exclude ? [{ path: exclude.path, looksIntoArrays: false }] : []),
    ...(filter ? comparedPaths(filter) : []).map((path) => ({ path, looksIntoArrays: true })),
  ]
  for (const field of fields.slice(0, maxPathsChecked)) {
    const missing = await missingField(collection, field)
    if (missing !== undefined) return missing
  }
  return undefined
}

/** Each field that was not seen before costs a statement. */
const maxPathsChecked = 4

/** The index on vectors of these dimensions, with its measured recall. */
function indexOn(
  { collectionId, vectors, dimensions, index }: Collection,
  sought: number,
): SearchIndex | undefined {
  if (index === undefined || dimensions !== sought) return undefined
  const { kind, comment } = index
  return { collectionId, vectors, dimensions, kind, recall: fromComment(comment) }
}

const queryFor = (
  { collectionId }: ProjectWithCollection,
  source: Query['source'],
  dimensions: number,
  { threshold, exclude, filter, includeSelf }: SearchOptions,
): Query => ({
  collectionId,
  source,
  vectorText: '',
  dimensions,
  threshold,
  exclude,
  filter: filter && compileFilter(filter),
  includeSelf: 'vector' in source || includeSelf,
})
