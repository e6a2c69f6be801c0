import { and, lte, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import {
  distanceBetween,
  inProject,
  isKeyOf,
  keysOf,
  mayBeResult,
  queryVector,
  roughDistanceTo,
} from './conditions.ts'
import { type GroupAll, grouped, valueAt, withGroups } from './groups.ts'
import { createRankListed } from './listed.ts'
import { type InPieces, inAllParts, inPart, type Part, type Scan, workMs } from './pieces.ts'
import { type Candidate, forEachVariant, type Variant } from './query.ts'
import { edgeOf, haveChanged, inOrder, maxDistance, textIdOrder, whileStill } from './ranking.ts'

const value = sql.placeholder

type GroupsVariant = Variant & { readonly part: Part; readonly path: readonly string[] }

/** A document by its rough distance, with the value it is grouped by. */
type Found = Candidate & { readonly group: string }

/**
 * Compares every vector of a part of the project and keeps the best of each value: results that
 * reach the threshold, group by group, those with the best members first. Rough distances choose
 * them, since precise ones of all would take twice as long.
 */
function groupsStatement(db: Db, { part, path, ...variant }: GroupsVariant) {
  const vector = queryVector(db, variant)
  const isChosen = sql`${isKeyOf(value('named'), valueAt(path))} = ${value('isWanted')}::boolean`
  const documents = db
    .select({
      id: embeddings.textId,
      distance: roughDistanceTo(db, vector).as('distance'),
      value: valueAt(path).as('value'),
      vector: embeddings.vector,
    })
    .from(embeddings)
    .where(and(inProject, inPart(part), mayBeResult(variant, vector), isChosen))
    // Without an offset, which is 0, PostgreSQL would compute each of them wherever it is used.
    .offset(value('none'))
    .as('documents')
  const inGroup = sql`partition by ${documents.value} order by ${documents.distance}, ${documents.id}`
  const placed = db
    .select({
      id: documents.id,
      distance: documents.distance,
      value: documents.value,
      place: sql`row_number() over (${inGroup})`.as('place'),
      best: sql`first_value(${documents.distance}) over (${inGroup})`.as('best'),
      bestId: sql`first_value(${documents.id}) over (${inGroup})`.as('best_id'),
    })
    .from(documents)
    .where(lte(distanceBetween(vector, documents.distance, documents.vector), value('maxDistance')))
    .as('placed')
  const ranked = db
    .select({
      id: placed.id,
      distance: placed.distance,
      value: placed.value,
      place: placed.place,
      rank: sql`dense_rank() over (order by ${placed.best}, ${placed.bestId})`.as('rank'),
    })
    .from(placed)
    .where(sql`${placed.place} <= ${value('size')}`)
    .as('ranked')
  return db
    .with(vector)
    .select({
      found: sql<string>`coalesce(json_agg(json_build_object('id', ${ranked.id},
        'distance', ${ranked.distance}, 'group', ${ranked.value})
        order by ${ranked.rank}, ${ranked.place}), '[]')::text`,
      milliseconds: workMs,
    })
    .from(ranked)
    .where(sql`${ranked.rank} > ${value('before')} and ${ranked.rank} <= ${value('end')}`)
    .prepare('group_all')
}

export function createGroupAll(db: Db, inPieces: InPieces): (scan: Scan) => GroupAll {
  const groupsIn = forEachVariant((variant: GroupsVariant) => groupsStatement(db, variant))
  const rankListed = createRankListed(db)

  const look = async (
    scan: Scan,
    ...[{ path, size }, { limit, offset }, excluded]: Parameters<GroupAll>
  ) => {
    const queryFor = inAllParts(db, scan.query)
    const end = offset + limit
    const range = { ...edgeOf(scan.query), maxDistance: maxDistance(scan.query), end, none: 0 }
    let { query } = scan
    let isWhole = true
    const groupsAmong = (named: string, isWanted: boolean) =>
      inPieces(scan, async (part, bounds) => {
        const given = await queryFor(part)
        if (given === undefined) return []
        query = given
        isWhole = part === 'all' || part === 'all quickly'
        return groupsIn(
          given,
          { part, path },
          {
            ...range,
            ...bounds,
            size: isWhole || isWanted ? size : 1,
            before: isWhole && !isWanted ? offset : 0,
            named,
            isWanted,
          },
        )
      })
    let found: Found[] = []
    for await (const piece of groupsAmong(keysOf(excluded), false)) {
      const more: Found[] = JSON.parse(piece.found)
      found = isWhole ? more : bestOf([...found, ...more], 1).slice(0, end)
    }
    if (!isWhole) found = found.slice(offset)
    if (!isWhole && size > 1) {
      // Only now it is known of which groups more than the best is wanted.
      const wanted = keysOf(found.map(({ group }) => group))
      found = []
      for await (const piece of groupsAmong(wanted, true)) {
        const more: Found[] = JSON.parse(piece.found)
        found = bestOf([...found, ...more], size)
      }
    }
    const values = new Map(found.map(({ id, group }) => [id, group]))
    // The filter keeps all of them.
    const shown = { ...query, filter: undefined }
    const ids = JSON.stringify([...values.keys()])
    const listed = values.size === 0 ? [] : await rankListed(shown, ids, values.size)
    const results = grouped(withGroups(inOrder(listed), values), size).flat()
    return { found: results, hasChanged: haveChanged(scan.query, found, listed) }
  }
  return (scan) => whileStill((...asked: Parameters<GroupAll>) => look(scan, ...asked))
}

/** The best documents of each value, group by group. */
const bestOf = (found: readonly Found[], size: number): Found[] => {
  const nearestFirst = found.toSorted((a, b) => a.distance - b.distance || textIdOrder(a.id, b.id))
  return grouped(nearestFirst, size).flat()
}
