import type postgres from 'postgres'
import { collectionColumn } from '../collections.ts'
import type { Tally } from '../tally.ts'
import { listStored, type Stored } from './indexes.ts'
import type { Lane } from './lane.ts'
import type { Pair } from './pair.ts'

/**
 * Clearly too small, in between, or clearly large enough, each of those more than twice as large as the
 * one before: else an index may stay with a smaller project that has it.
 */
const sizes = ['gone', 0, 60, 180, 260, 540, 1_120, 2_400] as const

/** Holds what the lanes know against what is stored, and lets them know the rest. */
export async function compare(
  sql: postgres.Sql,
  lanes: readonly Lane[],
  { first }: Pair,
  tally: Tally,
): Promise<void> {
  const stored = await listStored(sql)
  const strays = new Set(stored)
  const allCertain = lanes.every(({ certain }) => certain)
  for (const lane of lanes) {
    const found = stored.find(({ handle }) => handle === lane.handle)
    if (found !== undefined) strays.delete(found)
    const textIds = found === undefined ? [] : await textIdsOf(sql, found)
    if (lane.certain) judge(lane, found, textIds, tally)
    lane.adopt(found?.owner, textIds)
  }
  // A transfer without an answer may be made after its lane has made the project anew.
  for (const { owner, handle } of strays) {
    if (allCertain) tally.violate('undead', `${owner}/${handle}`)
    await first.call('DELETE', `/v1/projects/${owner}/${handle}`)
  }
}

async function textIdsOf(sql: postgres.Sql, { key }: Stored): Promise<string[]> {
  const column = sql(await collectionColumn(sql))
  const rows = await sql<{ textId: string }[]>`
    select text_id as "textId" from embeddings where ${column} = ${key}`
  return rows.map(({ textId }) => textId)
}

function judge(
  { handle, exists, owner, texts }: Lane,
  found: Stored | undefined,
  textIds: readonly string[],
  tally: Tally,
): void {
  if (exists && found?.owner !== owner) tally.violate('lost', `${owner}/${handle}`)
  if (!exists && found !== undefined) tally.violate('undead', `${found.owner}/${handle}`)
  const there = new Set(textIds)
  const lost = [...texts].filter((textId) => !there.has(textId))
  const undead = textIds.filter((textId) => !texts.has(textId))
  if (lost.length > 0)
    tally.violate('lost', `${lost.length} texts of ${handle}, '${lost[0]}' first`)
  if (undead.length > 0) {
    tally.violate('undead', `${undead.length} texts of ${handle}, '${undead[0]}' first`)
  }
}

/** Gives each project another size, of those about which there is no doubt. */
export async function settle(lanes: readonly Lane[], random: () => number): Promise<void> {
  const shuffled = sizes
    .map((size) => ({ size, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ size }) => size)
  await Promise.all(lanes.map((lane, index) => lane.become(shuffled[index] ?? 'gone')))
}
