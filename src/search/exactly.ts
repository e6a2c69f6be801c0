import { asc, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { compared, isNoneOf } from './conditions.ts'
import { createRankListed } from './listed.ts'
import { type InPieces, inAllParts, type Part, type Scan, workMs } from './pieces.ts'
import { type Candidate, forEachVariant, type Variant } from './query.ts'
import { haveChanged, maxDistance, roughError, whileStill } from './ranking.ts'

type ExactVariant = Variant & { readonly part: Part; readonly distances: 'rough' | 'between' }

/**
 * Compares every vector of the project: the nearest first, ties by text_id. Excluded ids and paging
 * apply to the nearest, so that pages neither overlap nor leave gaps.
 */
function exactStatement(db: Db, { part, distances, ...variant }: ExactVariant) {
  const best = compared(db, variant, part, distances)
    .orderBy(({ distance, id }) => [asc(distance), asc(id)])
    .limit(sql.placeholder('nearest'))
    .as('best')
  const left = db
    .select({
      id: best.id,
      distance: best.distance,
      nearest: sql`min(${best.distance}) over ()`.as('nearest_left'),
    })
    .from(best)
    .where(isNoneOf(best.id, 'excludedIds'))
    .orderBy(asc(best.distance), asc(best.id))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'))
    .as('left_over')
  const inOrder = sql`order by ${left.distance}, ${left.id}`
  return db
    .select({
      candidates: sql<string>`coalesce(json_agg(json_build_object('id', ${left.id},
        'distance', ${left.distance}) ${inOrder}), '[]')::text`,
      nearest: sql<number | null>`min(${left.nearest})`,
      milliseconds: workMs,
    })
    .from(left)
    .prepare('search_exactly')
}

/** Up to this place, pages are cut from what the pieces of a project give. */
const maxMerged = 10_000

/** Ranks by rough distances, or by those of `distanceBetween` if a range of rough ones is given. */
function createRanked(db: Db, inPieces: InPieces) {
  const nearestIn = forEachVariant((variant: ExactVariant) => exactStatement(db, variant))
  return async (
    scan: Scan,
    { limit, offset }: Page,
    excludedIds: readonly string[],
    range?: { readonly from: number; readonly to: number },
  ) => {
    const distances = range === undefined ? 'rough' : 'between'
    const end = offset + limit
    const isMerged = end <= maxMerged
    const values = {
      ...range,
      nearest: end + excludedIds.length,
      excludedIds: JSON.stringify(excludedIds),
      ...(isMerged ? { limit: end, offset: 0 } : { limit, offset }),
    }
    const queryFor = inAllParts(db, scan.query)
    let { query } = scan
    const run = async (part: Part, bounds: object) => {
      const given = await queryFor(part)
      if (given === undefined) return []
      query = given
      return nearestIn(given, { part, distances }, { ...values, ...bounds })
    }
    const pieces = isMerged ? inPieces(scan, run) : await run('all', {})
    let candidates: Candidate[] = []
    let nearest = Number.POSITIVE_INFINITY
    for await (const piece of pieces) {
      const more: Candidate[] = JSON.parse(piece.candidates)
      // The text_ids of a piece come after those before, so equal distances stay in order.
      candidates = [...candidates, ...more].sort((a, b) => a.distance - b.distance).slice(0, end)
      nearest = Math.min(nearest, piece.nearest ?? Number.POSITIVE_INFINITY)
    }
    // Far down, the first of the ranking are not known. The query has its vector, if that was read.
    if (!isMerged) return { page: candidates, first: [], nearest, query }
    const first = candidates.slice(0, spare)
    return { page: candidates.slice(offset), first, nearest, query }
  }
}

/** How many places before and after a page are looked at. */
const spare = 16

/** Finds a page of the exact ranking without the embeddings of `excludedIds`. */
export type Exactly = ReturnType<typeof createExactly>

/**
 * Ranks by rough distances, then what is on the page and beside it by precise ones. If rounding may
 * have brought others there, all that may belong on the page are ranked in a second scan.
 * @returns candidates, also below the threshold, and the distance of the nearest of all that are
 *   left, on any page; infinite if none is left
 */
export function createExactly(db: Db, inPieces: InPieces) {
  const ranked = createRanked(db, inPieces)
  const rankListed = createRankListed(db)
  return whileStill(async (scan: Scan, page: Page, excludedIds: readonly string[] = []) => {
    const { limit, offset } = page
    const error = roughError(scan.query)
    const begin = Math.max(0, offset - spare)
    const around = { offset: begin, limit: offset + limit + spare - begin }
    const rough = await ranked(scan, around, excludedIds)
    const first = idsOf(excludedIds.length === 0 ? [] : rough.first)
    const beside = idsOf(rough.page)
    const listedIds = [...new Set([...first, ...beside])]
    // The filter keeps all of them, and with large metadata it takes long.
    const unfiltered = { ...rough.query, filter: undefined }
    const listed =
      listedIds.length === 0
        ? []
        : await rankListed(unfiltered, JSON.stringify(listedIds), listedIds.length)
    const hasChanged = haveChanged(scan.query, [...rough.first, ...rough.page], listed)

    const next = rough.first.length === spare ? rough.first.at(-1)?.distance : undefined
    const nearest = Math.min(
      listed.find(({ id }) => first.has(id))?.distance ?? Number.POSITIVE_INFINITY,
      (next ?? (rough.first.length === 0 ? rough.nearest : Number.POSITIVE_INFINITY)) - error,
    )
    const places = [offset - begin, offset - begin + limit] as const
    const candidates = listed.filter(({ id }) => beside.has(id)).slice(...places)
    const before = begin === 0 ? -1 : (rough.page[0]?.distance ?? 0) + error
    const isLast = rough.page.length < around.limit
    const after = isLast ? Number.POSITIVE_INFINITY : (rough.page.at(-1)?.distance ?? 0) - error
    const isCertain = candidates.every(
      ({ distance }) => distance > before && (distance < after || after > maxDistance(scan.query)),
    )
    if (isCertain || hasChanged) return { found: { candidates, nearest }, hasChanged }
    // In order, rough and precise distances differ by no more than those of one vector.
    const onPage = rough.page.slice(...places).map(({ distance }) => distance)
    const range = {
      from: begin === 0 ? -1 : Math.min(...onPage) - 2 * error,
      to: Math.max(...onPage) + 2 * error,
    }
    const same = { ...scan, query: rough.query }
    const again = await ranked(same, page, excludedIds, range)
    // Others are there only if the project has changed meanwhile.
    const left = again.page.filter(({ distance }) => distance >= 0 && distance < 3)
    const isFewer = left.length < again.page.length
    return { found: { candidates: left, nearest }, hasChanged: isFewer }
  })
}

const idsOf = (some: readonly Candidate[]) => new Set(some.map(({ id }) => id))
