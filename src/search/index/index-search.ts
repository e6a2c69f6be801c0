import { and, asc, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import type { IndexForm } from '../../db/index-name.ts'
import { indexDistance, withParameters } from '../../db/pgvector.ts'
import { embeddings } from '../../db/schema.ts'
import {
  distanceTo,
  isAnother,
  isNotExcluded,
  once,
  queryVector,
  satisfies,
} from '../conditions.ts'
import { continueExactly, type Exactly } from '../exact-rest.ts'
import {
  type Candidate,
  forEachVariant,
  isFiltered,
  type Query,
  type Search,
  type Variant,
} from '../query.ts'
import { isSimilar, type Ranking, rankingOf } from '../ranking.ts'
import {
  type Effort,
  measuredPoint,
  reaches,
  type Stage,
  stagesFor,
  usualScanTuples,
} from './effort.ts'
import type { SearchIndex } from './policy.ts'

/**
 * Builds one ranking, whichever page is asked for: first what the index finds; if that is too
 * little for the page, what a deeper search of the index adds; finally, if the project may be
 * scanned, the rest by an exact search. Each part leaves out the previous ones, so that pages have
 * no gaps and no repeats.
 */
export function createIndexSearch(db: Db, exactly: Exactly) {
  const nearest = createNearest(db)

  return async (search: Search): Promise<Ranking | undefined> => {
    const { query, page, index, minRecall, canScan } = search
    if (index === undefined) return undefined
    const lowRecall = reaches(index, minRecall) ? undefined : measuredPoint(index)?.recall
    const { head, below, isEnough } = await findHead(
      search,
      stagesFor(index, { minRecall, canScan, isFiltered: isFiltered(query) }),
      nearest(query, index, canScan),
    )
    if (isEnough || !canScan) {
      const candidates = [...head, ...below].slice(page.offset, page.offset + page.limit)
      const isAll = candidates.length === page.limit
      return { ...rankingOf(query, candidates, 'approximate', isAll), lowRecall }
    }
    const ranking = await continueExactly(search, head, exactly)
    return ranking.mode === 'exact' ? ranking : { ...ranking, lowRecall }
  }
}

/**
 * Finds the head of a ranking, what is below the threshold, and whether the page needs no more.
 */
async function findHead({ query, page }: Search, stages: readonly Stage[], nearest: FindNearest) {
  const end = page.offset + page.limit
  const head: Candidate[] = []
  for (const stage of stages) {
    const wanted = Math.min(stage.results, end) - head.length
    if (wanted <= 0) continue
    const excludedIds = head.map(({ id }) => id)
    const found = await nearest(stage, wanted, excludedIds)
    const similar = found.filter((candidate) => isSimilar(query, candidate))
    // If the graph gave up early, nearer ones may be missing. A filter may keep few.
    const isGivenUp = found.length < wanted && stage.trusted === stage.candidates
    head.push(...similar)
    // Candidates come nearest first: after one below the threshold none is above it.
    if ((similar.length < found.length && !isGivenUp) || head.length >= end) {
      return { head, below: found.slice(similar.length), isEnough: true }
    }
  }
  return { head, below: [], isEnough: false }
}

type FindNearest = (
  effort: Effort,
  limit: number,
  excludedIds: readonly string[],
) => Promise<Candidate[]>

type IndexVariant = Variant & {
  readonly form: IndexForm
  readonly effort: Effort
  readonly excludesIds: boolean
  readonly onlyCertain: boolean
}

/**
 * The nearest by the project's index, except those of `excludedIds`, ranked by their float32
 * vectors, regardless of the threshold: fewer than `limit` only if the index returns no more.
 * @param onlyCertain whether to leave out what may lie behind deleted vectors, which the graph has
 *   until the next VACUUM: it misses more far from its start
 */
export function createNearest(db: Db) {
  const found = forEachVariant((variant: IndexVariant) => indexStatement(db, variant))
  return (
    query: Query,
    { collectionId, dimensions, kind, vectors }: SearchIndex,
    onlyCertain = false,
  ): FindNearest =>
    (effort, limit, excludedIds) => {
      const form = { collectionId, dimensions, kind }
      const excludesIds = excludedIds.length > 0
      const values = { limit, excludedIds: JSON.stringify(excludedIds) }
      // A small project is found as a whole.
      const leavesOut = onlyCertain && vectors > effort.efSearch
      return found(query, { form, effort, excludesIds, onlyCertain: leavesOut }, values)
    }
}

/**
 * Takes the nearest from the project's index and ranks them by their float32 vectors. Collection
 * and dimensions are literals, because PostgreSQL does not use a partial index for a parameter,
 * which may have any value.
 */
function indexStatement(db: Db, variant: IndexVariant) {
  const { form, effort, excludesIds, onlyCertain } = variant
  const { efSearch, candidates, trusted, scanTuples } = effort
  const query = queryVector(db, variant)
  const isKept = and(satisfies(variant), excludesIds ? isNotExcluded(embeddings.textId) : undefined)
  const isScan = scanTuples !== undefined
  const { textId, createdAt, text, metadata } = embeddings
  const nearest = db
    .select({ textId, createdAt, text, metadata, distance: distanceTo(query).as('distance') })
    .from(embeddings)
    .where(
      and(
        withParameters({
          'hnsw.ef_search': efSearch,
          'hnsw.iterative_scan': isScan ? 'relaxed_order' : 'off',
          'hnsw.max_scan_tuples': scanTuples ?? usualScanTuples,
          // The default memory is just enough for the default number of tuples.
          'hnsw.scan_mem_multiplier': Math.max(1, (scanTuples ?? 0) / usualScanTuples),
        }),
        sql`${embeddings.collectionId} = ${sql.raw(`${form.collectionId}`)}`,
        sql`${embeddings.vectorDim} = ${sql.raw(`${form.dimensions}`)}`,
        isAnother(variant, query),
        isScan ? isKept : undefined,
      ),
    )
    .orderBy(indexDistance(embeddings.vector, (toIndexed) => once(query, toIndexed), form))
    .limit(candidates)
    .as('nearest')
  // It has the name of the table, so that the same conditions apply to it.
  const ranked = db
    .select({
      textId: nearest.textId,
      createdAt: nearest.createdAt,
      text: nearest.text,
      metadata: nearest.metadata,
      distance: nearest.distance,
      place: sql`row_number() over (order by ${nearest.distance}, ${nearest.textId})`.as('place'),
      among: sql`count(*) over ()`.as('among'),
    })
    .from(nearest)
    .orderBy(asc(nearest.distance), asc(nearest.textId))
    .limit(trusted)
    .as('embeddings')
  // All that the graph found but that is not there may be nearer than all that is.
  const isCertain = sql`(${ranked.among} >= ${sql.raw(`${candidates}`)}
    or ${ranked.place} <= ${ranked.among} - ${sql.raw(`${efSearch - trusted}`)})`
  return db
    .with(query)
    .select({ id: ranked.textId, distance: ranked.distance })
    .from(ranked)
    .where(and(onlyCertain && !isScan ? isCertain : undefined, isScan ? undefined : isKept))
    .orderBy(asc(ranked.distance), asc(ranked.textId))
    .limit(sql.placeholder('limit'))
    .prepare('search_index')
}
