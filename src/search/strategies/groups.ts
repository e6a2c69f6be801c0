import type { Db } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import { type Grouping, groupAll, valuesOfField } from '../statements/group-statements.ts'
import type { Query } from '../statements/query.ts'
import { inOrder, type Ranking, type Result } from './ranking.ts'

/** How far down a ranking to look for groups before the database groups the whole project. */
const maxWalked = 1_000

/** A search whose results are grouped. */
interface GroupedSearch {
  readonly db: Db
  readonly query: Query
  readonly grouping: Grouping
  /** Finds a page of the ranking. */
  readonly rank: (page: Page) => Promise<Ranking>
  /** Whether every vector of the project may be compared. */
  readonly mayGroupAll: boolean
}

/**
 * The best documents for each value of a field. Most groups are found near the top of the ranking;
 * otherwise the database groups the whole project.
 * @param page counts groups
 */
export async function rankGroups(search: GroupedSearch, page: Page): Promise<Ranking> {
  const { db, query, grouping, rank } = search
  const end = page.offset + page.limit
  const isFull = isOf(grouping.size)
  for (let walked = Math.min(4 * end * grouping.size, maxWalked); ; ) {
    const { results, mode } = await rank({ limit: walked, offset: 0 })
    const ids = results.map(({ id }) => id)
    const values = await valuesOfField(db, query.collectionId, ids, grouping.path)
    const groups = grouped(results, values, grouping.size)
    const firstShort = groups.findIndex((group) => !isFull(group))
    const head = firstShort === -1 ? groups : groups.slice(0, firstShort)
    const isAll = results.length < walked || head.length >= end
    if (isAll || (walked === maxWalked && !search.mayGroupAll)) {
      return { results: onPage(groups, page), mode, hidden: undefined }
    }
    if (walked === maxWalked) {
      const results = [...onPage(head, page), ...(await restOf(search, head, page))]
      return { results, mode: head.length === 0 ? 'exact' : mode, hidden: undefined }
    }
    walked = Math.min(4 * walked, maxWalked)
  }
}

/** Lets the database find the rest, without the groups that the ranking has already given. */
async function restOf(
  { db, query, grouping }: GroupedSearch,
  head: readonly Result[][],
  { offset, limit }: Page,
): Promise<Result[]> {
  const begun = Math.max(0, head.length - offset)
  const rest = { offset: Math.max(0, offset - head.length), limit: limit - begun }
  const known = head.flatMap(([best]) => best?.group ?? [])
  const rows = await groupAll(db, query, grouping, rest, known)
  const values = new Map(rows.map(({ id, value }) => [id, value]))
  return grouped(inOrder(rows), values, grouping.size).flat()
}

const isOf = (size: number) => (group: readonly Result[]) => group.length === size

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
