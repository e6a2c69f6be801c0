import { and, asc, eq, lte, type SQL, sql } from 'drizzle-orm'
import { groupsOf, isEmbedding } from '../collections/keys.ts'
import { Limiter } from '../concurrency/limiter.ts'
import type { Database, Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { embeddings } from '../db/schema.ts'
import { metadataAt } from '../filters/condition.ts'
import {
  distanceBetween,
  distanceTo,
  inProject,
  mayBeResult,
  queryVector,
  roughDistanceTo,
} from './conditions.ts'
import { type Query, valuesOf, variantOf } from './query.ts'
import { edgeOf, inOrder, maxDistance, type Ranking, type Result } from './ranking.ts'

/** Groups results by the value at a path of the metadata. */
export interface Grouping {
  readonly path: readonly string[]
  /** Most results of a group. */
  readonly size: number
}

/** How far down a ranking by a vector to look before the database groups the whole project. */
export const maxWalkedByVector = 1_000

/** So many are looked up by one statement: the embedded engine does one thing at a time. */
const valuesAtOnce = 1_000

/** Longest value in characters of JSON. Larger ones would make answers of hundreds of megabytes. */
const maxValue = 1_000

/** Characters shown of a longer value, before its length and SHA-256. */
const shownOfLonger = 100

/** A ranking that can be grouped. */
interface GroupedSearch {
  readonly db: Db
  readonly query: Query
  /** Finds a page of the ranking. */
  readonly rank: (page: Page) => Promise<Ranking>
  /** How far down the ranking to look for groups. */
  readonly maxWalked: number
  /** Whether every vector of the project may be compared after that. */
  readonly mayGroupAll: boolean
  /** Runs what takes long in turn with others. */
  readonly inTurn: Turns
}

type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** A requester gets one of two places, and so do all without a key: the last free one is for others. */
export function createGroupTurns({ requester }: Pick<Database, 'requester'>): Turns {
  const limiter = new Limiter({ maxConcurrent: 2, queueTimeoutMs: 10_000, maxQueue: 100 })
  return (work) => limiter.run(work, requester())
}

/**
 * A page of a ranking, or of the best documents for each value of a field. Most groups are found
 * near the top of the ranking; otherwise the database groups the whole project.
 * @param grouping if set, limit and offset count groups
 */
export async function rankAsked(
  search: GroupedSearch,
  { grouping, limit, offset }: Page & { readonly grouping: Grouping | undefined },
): Promise<Ranking> {
  const { db, query, rank, maxWalked, inTurn } = search
  const page = { limit, offset }
  if (grouping === undefined) return rank(page)
  const end = page.offset + page.limit
  const values = new Map<string, string>()
  for (let walked = Math.min(4 * end * grouping.size, maxWalked); ; ) {
    const walk = async () => {
      const ranking = await rank({ limit: walked, offset: 0 })
      const ids = ranking.results.flatMap(({ id }) => (values.has(id) ? [] : [id]))
      for (const some of groupsOf(ids, valuesAtOnce)) {
        const more = await valuesOfField(db, query.collectionId, some, grouping.path)
        for (const [id, value] of more) values.set(id, value)
      }
      return ranking
    }
    const { results, mode } = await (walked > maxWalkedByVector ? inTurn(walk) : walk())
    const groups = grouped(results, values, grouping.size)
    const firstShort = groups.findIndex(({ length }) => length < grouping.size)
    const head = firstShort === -1 ? groups : groups.slice(0, firstShort)
    const isAll = results.length < walked || head.length >= end
    if (isAll || (walked === maxWalked && !search.mayGroupAll)) {
      return { results: onPage(groups, page), mode, hidden: undefined }
    }
    if (walked === maxWalked) {
      const rest = await inTurn(() => restOf(search, grouping, head, page))
      const isExact = head.length === 0
      return {
        results: [...onPage(head, page), ...rest],
        mode: isExact ? 'exact' : mode,
        hidden: undefined,
      }
    }
    walked = Math.min(4 * walked, maxWalked)
  }
}

/** Lets the database find the rest, without the groups that the ranking has already given. */
async function restOf(
  { db, query }: GroupedSearch,
  grouping: Grouping,
  head: readonly Result[][],
  { offset, limit }: Page,
): Promise<Result[]> {
  const begun = Math.max(0, head.length - offset)
  const rest = { offset: Math.max(0, offset - head.length), limit: limit - begun }
  const excluded = head.flatMap(([best]) => best?.group ?? [])
  const rows = await groupsStatement(db, query, grouping, rest).execute({
    ...valuesOf(query),
    excludedValues: JSON.stringify(excluded),
    ...edgeOf(query),
  })
  const values = new Map(rows.map(({ id, value }) => [id, value]))
  return grouped(inOrder(rows), values, grouping.size).flat()
}

/**
 * Groups results in the order of the best of each group. A result without a value was deleted since
 * the search.
 */
function grouped(results: readonly Result[], values: ReadonlyMap<string, string>, size: number) {
  const groups = new Map<string, Result[]>()
  for (const result of results) {
    const group = values.get(result.id)
    if (group === undefined) continue
    const members = groups.get(group) ?? []
    if (members.length < size) members.push({ ...result, group })
    groups.set(group, members)
  }
  return [...groups.values()]
}

const onPage = (groups: readonly Result[][], { offset, limit }: Page) =>
  groups.slice(offset, offset + limit).flat()

/**
 * The value at a path as JSON text: `null` if there is none, and a string unique to it if it is too
 * long.
 */
function valueAt(path: readonly string[]): SQL<string> {
  const json = sql`(${metadataAt(path)})::text`
  const short = sql`to_jsonb(left(${json}, ${shownOfLonger}) || '… (' || length(${json})
    || ' characters, SHA-256 ' || encode(sha256(convert_to(${json}, 'UTF8')), 'hex') || ')')::text`
  return sql`case when length(${json}) > ${maxValue} then ${short} else coalesce(${json}, 'null') end`
}

/** @returns the value of each embedding that exists, as JSON text */
async function valuesOfField(
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
 * Compares every vector of the project and keeps the best of each value, except those in the
 * placeholder `excludedValues`: results that reach the threshold, group by group, those with the
 * best members first. Rough distances choose them, since precise ones of all would take twice as
 * long.
 */
function groupsStatement(db: Db, query: Query, { path, size }: Grouping, page: Page) {
  const variant = variantOf(query)
  const vector = queryVector(db, variant)
  const documents = db
    .select({
      id: embeddings.textId,
      distance: roughDistanceTo(db, vector).as('distance'),
      value: valueAt(path).as('value'),
    })
    .from(embeddings)
    .where(
      and(
        inProject,
        mayBeResult(variant, vector),
        lte(distanceBetween(db, vector), maxDistance(query)),
      ),
    )
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
    .where(
      sql`${documents.value} not in (select jsonb_array_elements_text(${sql.placeholder('excludedValues')}::jsonb))`,
    )
    .as('placed')
  const ranked = db
    .select({
      id: placed.id,
      value: placed.value,
      place: placed.place,
      rank: sql`dense_rank() over (order by ${placed.best}, ${placed.bestId})`.as('rank'),
    })
    .from(placed)
    .where(sql`${placed.place} <= ${size}`)
    .as('ranked')
  const shown = db
    .select({ distance: distanceTo(vector) })
    .from(embeddings)
    .where(and(inProject, eq(embeddings.textId, ranked.id)))
  return db
    .with(vector)
    .select({
      id: ranked.id,
      distance: sql`(${shown})`.mapWith(Number),
      value: sql<string>`${ranked.value}`,
    })
    .from(ranked)
    .where(sql`${ranked.rank} > ${page.offset} and ${ranked.rank} <= ${page.offset + page.limit}`)
    .orderBy(asc(ranked.rank), asc(ranked.place))
    .prepare('group_all')
}
