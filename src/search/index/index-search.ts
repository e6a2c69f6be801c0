import { and, asc, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import type { IndexForm } from '../../db/index-name.ts'
import { type IndexKind, indexDistance, withParameters } from '../../db/pgvector.ts'
import { embeddings } from '../../db/schema.ts'
import { distanceTo, isAnother, once, queryVector, satisfies } from '../conditions.ts'
import type { Exactly } from '../exactly.ts'
import {
  type Candidate,
  forEachVariant,
  isFiltered,
  type Query,
  type Search,
  type Variant,
} from '../query.ts'
import { isSimilar, type Ranking, rankingOf, textIdOrder } from '../ranking.ts'
import { literal } from './catalog.ts'
import { type Effort, effortFor, reaches, usualScanTuples } from './effort.ts'

/**
 * Builds one ranking, whichever page is asked for: first what the index is certain of, then, if the
 * project may be scanned, the rest by an exact search, which leaves out what comes before. So pages
 * have no gaps and no repeats.
 */
export function createIndexSearch(db: Db, exactly: Exactly) {
  const nearest = createNearest(db)

  return async (search: Search): Promise<Ranking | undefined> => {
    const { query, page, collection, index, minRecall, canScan } = search
    if (index === null) return undefined
    const end = page.offset + page.limit
    const searched = { kind: index, dimensions: query.dimensions, vectors: collection.vectors }
    const effort = effortFor(searched, { canScan, isFiltered: isFiltered(query) })
    const found = await nearest(query, searched, effort, end)
    // Candidates come nearest first: after one below the threshold none is above it.
    const isEnough = found.length === end || found.some((candidate) => !isSimilar(query, candidate))
    if (canScan && !isEnough) return continueExactly(search, found, exactly)
    const onPage = found.slice(page.offset, end)
    const ranking = rankingOf(query, onPage, 'approximate', onPage.length === page.limit)
    // Signs may say little about the vectors, which is certain only where an exact search helps out.
    const lowRecall = !canScan && (index === 'bit' || !reaches(minRecall))
    return { ...ranking, lowRecall }
  }
}

/** Continues a ranking with an exact search after its head. */
export async function continueExactly(
  search: Search,
  head: readonly Candidate[],
  exactly: Exactly,
): Promise<Ranking> {
  const { offset, limit } = search.page
  const begun = head.slice(offset)
  const rest = { offset: Math.max(0, offset - head.length), limit: limit - begun.length }
  const headIds = head.map(({ id }) => id)
  const { candidates, nearest } = await exactly(search, rest, headIds)
  // If nothing that follows is nearer, an exact search would begin with the head too. It was found
  // in stages: a later one may find what an earlier one has missed.
  const isMissed = head.some((candidate, at) => {
    const next = head[at + 1]
    return candidate.distance >= nearest || (next !== undefined && isBehind(candidate, next))
  })
  return rankingOf(
    search.query,
    [...begun, ...candidates],
    isMissed ? 'approximate' : 'exact',
    true,
  )
}

const isBehind = (one: Candidate, other: Candidate) =>
  one.distance > other.distance ||
  (one.distance === other.distance && textIdOrder(one.id, other.id) > 0)

type IndexVariant = Variant & {
  readonly form: IndexForm & { readonly kind: IndexKind }
  readonly effort: Effort
  readonly isFirst: boolean
}

/**
 * The nearest by the project's index, ranked by their float32 vectors, regardless of the threshold:
 * fewer than `limit` if the index is certain of no more.
 */
export function createNearest(db: Db) {
  const found = forEachVariant((variant: IndexVariant) => indexStatement(db, variant))
  return (
    query: Query,
    { kind, vectors }: { readonly kind: IndexKind; readonly vectors: number },
    effort: Effort,
    limit: number,
  ): Promise<Candidate[]> => {
    const { collectionId, dimensions } = query
    const variant = { form: { collectionId, dimensions, kind }, effort }
    // Without what is searched for.
    const expected = Math.min(effort.most, vectors - 1 - query.without.length)
    return found(query, { ...variant, isFirst: limit <= effort.first }, { limit, expected })
  }
}

/**
 * Takes the nearest from the project's index and ranks them by their float32 vectors: the first
 * ones, which are the same for every page, then the others. Collection and dimensions are literals,
 * because PostgreSQL does not use a partial index for a parameter, which may have any value.
 */
function indexStatement(db: Db, variant: IndexVariant) {
  const { form, effort, isFirst } = variant
  const { efSearch, first, most, trusted, scanTuples } = effort
  const query = queryVector(db, variant)
  const isScan = scanTuples !== undefined
  const isKept = satisfies(variant)
  const arriving = db
    .select({
      id: embeddings.textId,
      distance: distanceTo(query).as('distance'),
      kept: sql`${(isScan ? undefined : isKept) ?? sql`true`}`.as('kept'),
    })
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
        sql`${embeddings.collectionId} = ${literal(form.collectionId)}`,
        sql`${embeddings.vectorDim} = ${literal(form.dimensions)}`,
        isAnother(variant, query),
        isScan ? isKept : undefined,
      ),
    )
    .orderBy(indexDistance(embeddings.vector, (toIndexed) => once(query, toIndexed), form))
    .limit(isFirst ? first : most)
    .as('arriving')
  const { id, distance, kept } = arriving
  const arrived = db
    .select({ id, distance, kept, arrival: sql`row_number() over ()`.as('arrival') })
    .from(arriving)
    .as('arrived')
  const inOrder = sql`order by ${arrived.arrival} > ${literal(first)}, ${arrived.distance}, ${arrived.id}`
  const ranked = db
    .select({
      ...{ id: arrived.id, distance: arrived.distance, kept: arrived.kept },
      place: sql`row_number() over (${inOrder})`.as('place'),
      latest: sql`max(${arrived.arrival}) over (${inOrder})`.as('latest'),
      among: sql`count(*) over ()`.as('among'),
    })
    .from(arrived)
    .as('ranked')
  // Where the graph finds less than expected, it has deleted vectors, until the next VACUUM, and
  // misses more behind them.
  const isCertain = sql`${ranked.latest} <= ${literal(trusted)}
    and (${ranked.among} >= ${sql.placeholder('expected')}
      or (${ranked.among} >= ${literal(first)} and ${ranked.place} <= ${literal(first)}))`
  return db
    .with(query)
    .select({ id: ranked.id, distance: ranked.distance })
    .from(ranked)
    .where(isScan ? undefined : and(sql`${ranked.kept}`, isCertain))
    .orderBy(asc(ranked.place))
    .limit(sql.placeholder('limit'))
    .prepare('search_index')
}
