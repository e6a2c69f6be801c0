import { and, asc, type SQL, sql } from 'drizzle-orm'
import { isEmbedding } from '../../collections/keys.ts'
import type { Db } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import { embeddings } from '../../db/schema.ts'
import { metadataAt } from '../../filters/condition.ts'
import { maxDistance } from '../distance.ts'
import {
  distanceTo,
  inProject,
  isCandidate,
  type QueryVectorCte,
  queryVectorCte,
} from './conditions.ts'
import type { Candidate, Query } from './query.ts'
import { valuesOf, variantOf } from './variant.ts'

/** Groups results by the value at a path of the metadata. */
export interface Grouping {
  readonly path: readonly string[]
  /** Most results of a group. */
  readonly size: number
}

/** Longest value in characters of JSON. Larger ones would make answers of hundreds of megabytes. */
export const maxGroup = 1_000

/** Characters shown of a larger value, before its length and SHA-256. */
const shownOfLonger = 100

/**
 * The value at a path as JSON text: `null` if there is none, and a string unique to it if it is too
 * long.
 */
function valueAt(path: readonly string[]): SQL<string> {
  const found = sql`(${metadataAt(path)})::text`
  const short = sql`to_jsonb(left(${found}, ${shownOfLonger}) || '… (' || length(${found})
    || ' characters, SHA-256 ' || encode(sha256(convert_to(${found}, 'UTF8')), 'hex') || ')')::text`
  return sql`case when length(${found}) > ${maxGroup} then ${short} else coalesce(${found}, 'null') end`
}

/** @returns the value of each embedding that exists, as JSON text */
export async function valuesOfField(
  db: Db,
  collectionId: number,
  ids: readonly string[],
  path: readonly string[],
): Promise<Map<string, string>> {
  const stored = db
    .select({ value: valueAt(path).as('value') })
    .from(embeddings)
    // Each is looked up by its key: the limit keeps PostgreSQL from reading and joining the
    // project.
    .where(isEmbedding(collectionId, sql`wanted.id`))
    .limit(1)
    .as('stored')
  const rows = await db
    .select({ id: sql<string>`wanted.id`, value: stored.value })
    .from(sql`jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) as wanted (id)`)
    .innerJoinLateral(stored, sql`true`)
  return new Map(rows.map(({ id, value }) => [id, value]))
}

/**
 * Compares every vector of the project and keeps the best of each value.
 * @param page counts groups, those with the best members first
 * @param excluded values to leave out
 * @returns results that reach the threshold, group by group
 */
export async function groupAll(
  db: Db,
  query: Query,
  { path, size }: Grouping,
  page: Page,
  excluded: readonly string[],
): Promise<(Candidate & { value: string })[]> {
  const sought = queryVectorCte(db, variantOf(query, []))
  const placed = placedInGroups(db, query, path, sought, excluded)
  const ranked = db
    .select({
      id: placed.id,
      distance: placed.distance,
      value: placed.value,
      place: placed.place,
      rank: sql`dense_rank() over (order by ${placed.best}, ${placed.bestId})`.as('rank'),
    })
    .from(placed)
    .where(sql`${placed.place} <= ${size}`)
    .as('ranked')
  return db
    .with(sought)
    .select({
      id: ranked.id,
      distance: sql`${ranked.distance}`.mapWith(Number),
      value: sql<string>`${ranked.value}`,
    })
    .from(ranked)
    .where(sql`${ranked.rank} > ${page.offset} and ${ranked.rank} <= ${page.offset + page.limit}`)
    .orderBy(asc(ranked.rank), asc(ranked.place))
    .prepare('group_all')
    .execute(valuesOf(query, []))
}

/** Each document with its place in its group and the best of the group. */
function placedInGroups(
  db: Db,
  query: Query,
  path: Grouping['path'],
  sought: QueryVectorCte,
  excluded: readonly string[],
) {
  const variant = variantOf(query, [])
  const compared = db
    .select({
      id: embeddings.textId,
      distance: distanceTo(sought).as('distance'),
      value: valueAt(path).as('value'),
    })
    .from(embeddings)
    .where(and(inProject, isCandidate(variant, sought)))
    .as('compared')
  const inGroup = sql`partition by ${compared.value} order by ${compared.distance}, ${compared.id}`
  return db
    .select({
      id: compared.id,
      distance: compared.distance,
      value: compared.value,
      place: sql`row_number() over (${inGroup})`.as('place'),
      best: sql`first_value(${compared.distance}) over (${inGroup})`.as('best'),
      bestId: sql`first_value(${compared.id}) over (${inGroup})`.as('best_id'),
    })
    .from(compared)
    .where(
      and(
        sql`${compared.distance} <= ${maxDistance(query)}`,
        sql`${compared.value} not in (select jsonb_array_elements_text(${JSON.stringify(excluded)}::jsonb))`,
      ),
    )
    .as('placed')
}
