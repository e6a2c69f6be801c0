import { type SQL, sql } from 'drizzle-orm'
import { groupsOf, inCollection } from '../collections/keys.ts'
import { Limiter } from '../concurrency/limiter.ts'
import type { Database, Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { metadataAt } from '../filters/condition.ts'
import { storedAmong } from './listed.ts'
import type { Ranking, Result } from './ranking.ts'

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

/** Finds groups among all documents of a project, but for those of the excluded values. */
export type GroupAll = (
  grouping: Grouping,
  page: Page,
  excluded: readonly string[],
) => Promise<Result[]>

/** A ranking that can be grouped. */
interface GroupedSearch {
  readonly collectionId: number
  /** Finds a page of the ranking. */
  readonly rank: (page: Page) => Promise<Ranking>
  /** How far down the ranking to look for groups. */
  readonly maxWalked: number
  /** Compares every vector of the project after that; undefined if this may not be. */
  readonly groupAll?: GroupAll | undefined
}

/**
 * A page of a ranking, or of the best documents for each value of a field.
 * @param asked if it has a grouping, its limit and offset count groups
 */
export type RankAsked = (
  search: GroupedSearch,
  asked: Page & { readonly grouping: Grouping | undefined },
) => Promise<Ranking>

/** Most groups are found near the top of a ranking; otherwise the database groups the whole project. */
export function createRankAsked({ search: { db }, requester }: Database): RankAsked {
  // A requester gets one of two places, and so do all without a key: the last free one is for others.
  const limiter = new Limiter({ maxConcurrent: 2, queueTimeoutMs: 10_000, maxQueue: 100 })
  const inTurn = <T>(work: () => Promise<T>) => limiter.run(work, requester())

  return async ({ collectionId, rank, maxWalked, groupAll }, { grouping, limit, offset }) => {
    const page = { limit, offset }
    if (grouping === undefined) return rank(page)
    const { path, size } = grouping
    const end = offset + limit
    const values = new Map<string, string>()
    for (let walked = Math.min(4 * end * size, maxWalked); ; ) {
      const walk = async () => {
        const ranking = await rank({ limit: walked, offset: 0 })
        const ids = ranking.results.flatMap(({ id }) => (values.has(id) ? [] : [id]))
        for (const some of groupsOf(ids, valuesAtOnce)) {
          const more = await valuesOfField(db, collectionId, some, path)
          for (const [id, value] of more) values.set(id, value)
        }
        return ranking
      }
      const { results, mode } = await (walked > maxWalkedByVector ? inTurn(walk) : walk())
      const groups = grouped(withGroups(results, values), size)
      const firstShort = groups.findIndex(({ length }) => length < size)
      const head = firstShort === -1 ? groups : groups.slice(0, firstShort)
      const isAll = results.length < walked || head.length >= end
      if (isAll || (walked === maxWalked && groupAll === undefined)) {
        return { results: onPage(groups, page), mode, hidden: undefined }
      }
      if (walked === maxWalked && groupAll !== undefined) {
        const begun = Math.max(0, head.length - offset)
        const left = { offset: Math.max(0, offset - head.length), limit: limit - begun }
        const excluded = head.flatMap(([best]) => best?.group ?? [])
        const rest = await inTurn(() => groupAll(grouping, left, excluded))
        const results = [...onPage(head, page), ...rest]
        return { results, mode: head.length === 0 ? 'exact' : mode, hidden: undefined }
      }
      walked = Math.min(4 * walked, maxWalked)
    }
  }
}

/** A result without a value was deleted since the search. */
export const withGroups = (
  results: readonly Result[],
  values: ReadonlyMap<string, string>,
): Result[] =>
  results.flatMap((result) => {
    const group = values.get(result.id)
    return group === undefined ? [] : [{ ...result, group }]
  })

/** Groups what has its group, in the order of the best of each. */
export function grouped<Member extends Pick<Result, 'group'>>(
  results: readonly Member[],
  size: number,
): Member[][] {
  const groups = new Map<string, Member[]>()
  for (const result of results) {
    const { group = '' } = result
    const members = groups.get(group) ?? []
    if (members.length < size) members.push(result)
    groups.set(group, members)
  }
  return [...groups.values()]
}

export const onPage = (groups: readonly Result[][], { offset, limit }: Page) =>
  groups.slice(offset, offset + limit).flat()

/**
 * The value at a path as JSON text: `null` if there is none, and a string unique to it if it is too
 * long.
 */
export function valueAt(path: readonly string[]): SQL<string> {
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
  const textIds = JSON.stringify(ids)
  const { listed, stored } = storedAmong(db, textIds, valueAt(path), inCollection(collectionId))
  const rows = await db
    .select({ id: stored.id, value: stored.value })
    .from(listed)
    .innerJoinLateral(stored, sql`true`)
  return new Map(rows.map(({ id, value }) => [id, value]))
}
