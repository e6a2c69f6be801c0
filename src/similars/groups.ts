import type { Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { type Grouping, groupAll, valuesOfField } from './group-statements.ts'
import type { Query } from './query.ts'
import { inOrder, type Ranking, type Result } from './ranking.ts'

/** How far down a ranking groups are looked for before the database groups all of the project. */
const mostWalked = 1_000

/** Where groups are looked for. */
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
 * The best documents for each value of a field. Most are found a little way down the ranking; where
 * they are not, the database groups all of the project.
 * @param page counts groups
 */
export async function rankGroups(search: GroupedSearch, page: Page): Promise<Ranking> {
  const { db, query, grouping, rank } = search
  const end = page.offset + page.limit
  let walked = Math.min(4 * end * grouping.size, mostWalked)
  for (;;) {
    const { results, mode } = await rank({ limit: walked, offset: 0 })
    const ids = results.map(({ id }) => id)
    const values = await valuesOfField(db, query.collectionId, ids, grouping.path)
    const groups = grouped(results, values, grouping.size)
    const isFull = groups.length >= end && groups.slice(0, end).every(isOf(grouping.size))
    const isAll = results.length < walked || isFull
    if (isAll || (walked === mostWalked && !search.mayGroupAll)) {
      return { results: onPage(groups, page), mode, hidden: undefined }
    }
    if (walked === mostWalked) break
    walked = Math.min(4 * walked, mostWalked)
  }
  const rows = await groupAll(db, query, grouping, end)
  const groups = grouped(inOrder(rows), new Map(rows.map(({ id, value }) => [id, value])), Infinity)
  return { results: onPage(groups, page), mode: 'exact', hidden: undefined }
}

const isOf = (size: number) => (group: readonly Result[]) => group.length === size

/** In the order of the best of each group; of what has no value there by now nothing is known. */
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

/** Group by group. */
const onPage = (groups: readonly Result[][], { offset, limit }: Page) =>
  groups.slice(offset, offset + limit).flat()
