import { and, asc, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import type { IndexForm } from '../../db/index-name.ts'
import { indexDistance, withParameters } from '../../db/pgvector.ts'
import { embeddings } from '../../db/schema.ts'
import { distanceTo, isNotExcluded, mayBeResult, once, queryVector } from '../conditions.ts'
import { continueExactly, type FindRest } from '../exact-rest.ts'
import {
  type Candidate,
  forEachVariant,
  isFiltered,
  type Query,
  type Search,
  type Variant,
  valuesOf,
  variantOf,
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
import { createKeptShare } from './kept-share.ts'
import type { SearchIndex } from './policy.ts'

/**
 * Builds one ranking, whichever page is asked for: first what the index finds; if that is too
 * little for the page, what a deeper search of the index adds; finally, if the project may be
 * scanned, the rest by an exact search. Each part leaves out the previous ones, so that pages have
 * no gaps and no repeats.
 */
export function createIndexSearch(db: Db, exactRest: (search: Search) => FindRest) {
  const nearest = createNearest(db)
  const keptShare = createKeptShare(db)

  async function stagesOf(search: Search, index: SearchIndex): Promise<Stage[]> {
    const { query, minRecall, canScan } = search
    if (!isFiltered(query)) return stagesFor(index, { minRecall, canScan })
    // In a project too large to be scanned, drawing a sample would take too long.
    const kept = canScan ? await keptShare(search) : 1
    return stagesFor(index, { minRecall, canScan, kept })
  }

  return async (search: Search): Promise<Ranking | undefined> => {
    const { query, page, index, minRecall, canScan } = search
    if (index === undefined) return undefined
    const lowRecall = reaches(index, minRecall) ? undefined : measuredPoint(index)?.recall
    const { head, below, isEnough } = await findHead(
      search,
      await stagesOf(search, index),
      nearest(query, index),
    )
    if (isEnough || !canScan) {
      const candidates = [...head, ...below].slice(page.offset, page.offset + page.limit)
      const isAll = candidates.length === page.limit
      return { ...rankingOf(query, candidates, 'approximate', isAll), lowRecall }
    }
    const ranking = await continueExactly(search, head, exactRest(search))
    return ranking.mode === 'exact' ? ranking : { ...ranking, lowRecall }
  }
}

/**
 * Finds the head of a ranking, what is below the threshold, and whether the page needs no more.
 */
async function findHead(
  { query, page, canScan }: Search,
  stages: readonly Stage[],
  nearest: FindNearest,
) {
  const end = page.offset + page.limit
  const head: Candidate[] = []
  for (const stage of stages) {
    // `needed` is the same for every page: it decides which part of the ranking the index provides.
    const wanted = stage.needed ?? Math.min(stage.results, end - head.length)
    const excludedIds = head.map(({ id }) => id)
    const found = await nearest(stage, wanted, excludedIds)
    const similar = found.filter((candidate) => isSimilar(query, candidate))
    const isGivenUp = found.length < wanted
    // The filter kept so few that the search of the graph gave up: nearer ones may be missing.
    if (isGivenUp && stage.isTriedAgain) continue
    if (isGivenUp && isFiltered(query) && canScan) break
    // Candidates come nearest first: after one below the threshold none is above it, unless the
    // graph gave up early and nearer ones may be missing.
    const isEnd = similar.length < found.length && !isGivenUp
    head.push(...similar.slice(0, stage.results))
    if ((isEnd && similar.length <= stage.results) || head.length >= end) {
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

interface IndexVariant extends Variant {
  readonly form: IndexForm
  readonly effort: Effort
  readonly excludesIds: boolean
}

/**
 * The nearest by the project's index, except those of `excludedIds`, ranked by their float32
 * vectors, regardless of the threshold: fewer than `limit` only if the index returns no more.
 */
export function createNearest(db: Db) {
  const statement = forEachVariant((variant: IndexVariant) => indexStatement(db, variant))
  return (query: Query, { collectionId, dimensions, kind }: SearchIndex): FindNearest =>
    (effort, limit, excludedIds) => {
      const form = { collectionId, dimensions, kind }
      const excludesIds = excludedIds.length > 0
      const values = { ...valuesOf(query), limit, excludedIds: JSON.stringify(excludedIds) }
      return statement({ ...variantOf(query), form, effort, excludesIds }).execute(values)
    }
}

/**
 * Takes the nearest from the project's index and ranks them by their float32 vectors. Collection
 * and dimensions are literals, because PostgreSQL does not use a partial index for a parameter,
 * which may have any value.
 */
function indexStatement(db: Db, variant: IndexVariant) {
  const { form, effort, excludesIds } = variant
  const { scanTuples = usualScanTuples } = effort
  const query = queryVector(db, variant)
  const nearest = db
    .select({ id: embeddings.textId, distance: distanceTo(query).as('distance') })
    .from(embeddings)
    .where(
      and(
        withParameters({
          'hnsw.ef_search': effort.efSearch,
          'hnsw.iterative_scan': effort.scanTuples === undefined ? 'off' : 'relaxed_order',
          'hnsw.max_scan_tuples': scanTuples,
          // The default memory is just enough for the default number of tuples.
          'hnsw.scan_mem_multiplier': Math.max(1, scanTuples / usualScanTuples),
        }),
        sql`${embeddings.collectionId} = ${sql.raw(`${form.collectionId}`)}`,
        sql`${embeddings.vectorDim} = ${sql.raw(`${form.dimensions}`)}`,
        mayBeResult(variant, query),
        excludesIds ? isNotExcluded(embeddings.textId) : undefined,
      ),
    )
    .orderBy(indexDistance(embeddings.vector, (toIndexed) => once(query, toIndexed), form))
    .limit(effort.candidates)
    .as('nearest')
  return db
    .with(query)
    .select()
    .from(nearest)
    .orderBy(asc(nearest.distance), asc(nearest.id))
    .limit(sql.placeholder('limit'))
    .prepare('search_index')
}
