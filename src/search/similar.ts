import type { Project, ProjectWithCollection } from '../access/project.ts'
import { dimensionsOf, findTextIds } from '../collections/keys.ts'
import type { Database, Db } from '../db/database.ts'
import { noSuchEmbedding, type TextIds } from '../embeddings/read.ts'
import { compileFilter } from '../filters/condition.ts'
import { excluding } from '../filters/exclusion.ts'
import { pgvectorBytes } from '../vectors/encoding.ts'
import { readParts, type ShownResult } from './answer.ts'
import type { AroundLimits } from './around/around.ts'
import { createFindAround } from './around/find-around.ts'
import { createDiverseRank } from './diversity.ts'
import { requireVector, storedVectors, textIdsOf, vectorOfExamples } from './examples.ts'
import { createRankAsked } from './groups.ts'
import type { VectorCache } from './memory/vector-cache.ts'
import { createFieldCheck } from './missing-field.ts'
import type { SearchedFor, SearchOptions } from './options.ts'
import type { Query } from './query.ts'
import { createScaledRank } from './scale.ts'
import { createRank, type FoundRanking, type Rank, type StrategyRanking } from './search.ts'
import type { WordCache } from './words/word-cache.ts'
import { createWordRanks } from './words/words-search.ts'

/**
 * Finds the stored embeddings most similar to a stored one or to a vector.
 * @param maxScan largest project, in components, in which a page that the index cannot fill is
 *   completed by an exact search
 */
export function createSearch(
  database: Database,
  cache: VectorCache,
  wordCache: WordCache,
  maxScan: number,
) {
  const { db } = database.search
  const rankAsked = createRankAsked(database)
  const missingField = createFieldCheck(db)
  const findAround = createFindAround(database)
  const byVector = createRank(database, cache, maxScan, rankAsked)
  const { byWords, byVectorAndWords } = createWordRanks(database, wordCache, byVector, rankAsked)
  const rank = createScaledRank(cache, createDiverseRank(cache, byVectorAndWords))

  async function ranked(
    project: ProjectWithCollection,
    searchedFor: SearchedFor,
    options: SearchOptions,
  ): Promise<StrategyRanking> {
    if (searchedFor === 'words') {
      // In an empty project, there is nothing to find.
      const { dimensions } = project.collection
      const query = queryFor(project, { textId: '' }, dimensions ?? 1, options)
      return byWords(project.collection, query, options)
    }
    if ('textIds' in searchedFor) {
      return toStored(database.short.db, rank, project, searchedFor.textIds, options)
    }
    const isByExamples = 'like' in searchedFor
    const float32 = isByExamples
      ? await vectorOfExamples(db, project, searchedFor)
      : requireVector(project, searchedFor.vector)
    const without = isByExamples && !options.includeSelf ? textIdsOf(searchedFor) : []
    const query = {
      ...queryFor(project, { vector: float32 }, float32.length, options),
      without,
      // Made only if the database searches. The embedded engine takes twice as long to read a
      // vector's text as for everything else.
      get vector() {
        return database.engine === 'embedded' ? pgvectorBytes(float32) : `[${float32.join()}]`
      },
    }
    return rank(project.collection, query, options)
  }

  return {
    /** @throws 404 if none of the text_ids exists */
    async around(project: ProjectWithCollection, textIds: TextIds, limits: AroundLimits) {
      const found = await findTextIds(db, project.collectionId, textIds)
      const textId = textIds.find((each) => found.has(each))
      if (textId === undefined) throw noSuchEmbedding(project, textIds)
      const around = await findAround(project, [textId], limits)
      return { textId, around: around.get(textId) ?? { before: [], after: [] } }
    },

    /**
     * @throws 404 if none of the text_ids exists, or not all of the examples; 400 if the project has
     *   no instance or a vector does not fit it
     */
    async similarTo(
      project: ProjectWithCollection,
      searchedFor: SearchedFor,
      options: SearchOptions,
    ): Promise<FoundRanking> {
      const start = performance.now()
      const ranking = await ranked(project, searchedFor, options)
      const milliseconds = performance.now() - start
      const found = {
        ...ranking,
        milliseconds,
        missingField: await missingField(project.collection, options),
      }
      if (!options.around) return found
      const ids = ranking.results.map(({ id }) => id)
      const around = await findAround(project, ids, { before: 1, after: 1 })
      const results = ranking.results.map((each) => ({ ...each, around: around.get(each.id) }))
      return { ...found, results }
    },

    /** @throws 404 if there is no such embedding */
    async vectorOf(project: Project, textId: string): Promise<Float32Array> {
      const vectors = await storedVectors(db, project, [textId])
      return vectors(textId)
    },

    /** What ranking by words has to know of the texts of a project. */
    statisticsOf: ({ collection }: ProjectWithCollection, words: string) =>
      wordCache.statistics(collection, words),

    partsOf: (
      { collectionId }: ProjectWithCollection,
      wanted: readonly ShownResult[],
      maxBytes?: number,
    ) => readParts(db, collectionId, wanted, (texts) => wordCache.highlights(texts), maxBytes),
  }
}

async function toStored(
  db: Db,
  rank: Rank,
  project: ProjectWithCollection,
  textIds: TextIds,
  options: SearchOptions,
): Promise<StrategyRanking> {
  const expected = project.instance?.dimensions
  for (const textId of new Set(textIds)) {
    // Most requests name existing embeddings, so existence is checked only after an empty search.
    const dimensions = expected ?? (await dimensionsOf(db, project.collectionId, textId))
    if (dimensions === undefined) continue
    const query = queryFor(project, { textId }, dimensions, options)
    const ranking = await rank(project.collection, query, options)
    const isThere = ranking.results.length > 0 || (ranking.hidden ?? 0) > 0
    if (isThere || expected === undefined) return ranking
    const stored = await dimensionsOf(db, project.collectionId, textId)
    if (stored === dimensions) return ranking
    // Its dimensions differ from the instance's: compare it with embeddings of its own dimensions.
    if (stored !== undefined)
      return rank(project.collection, { ...query, dimensions: stored }, options)
  }
  throw noSuchEmbedding(project, textIds)
}

function queryFor(
  { collectionId }: ProjectWithCollection,
  source: Query['source'],
  dimensions: number,
  { threshold, exclude, filter: given, includeSelf }: SearchOptions,
): Query {
  const compiled = given && compileFilter(given)
  const filter = exclude === undefined ? compiled : excluding(exclude, compiled)
  const without: readonly string[] = []
  return { collectionId, source, vector: '', dimensions, threshold, filter, includeSelf, without }
}
