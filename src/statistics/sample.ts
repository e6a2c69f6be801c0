import { textIdAfter } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'

/**
 * How to read a number of embeddings: all, or groups of adjacent ones spread evenly over the
 * text_ids.
 */
interface Sample {
  readonly groups: number
  /** From the beginning of one group to that of the next. */
  readonly step: number
  /** How many embeddings of a step to read. */
  readonly take: number
}

/** How many groups a sample has. */
const sampleGroups = 100

/**
 * @param most up to so many, all are read; above it, so many of them
 * @param atOnce how many one statement reads if all are read
 */
export function sampleOver(total: number, most: number, atOnce: number): Sample {
  if (total <= most) return { groups: Math.ceil(total / atOnce), step: atOnce, take: atOnce }
  const step = Math.floor(total / sampleGroups)
  return { groups: sampleGroups, step, take: most / sampleGroups }
}

/**
 * The text_ids after which the groups begin. To find the next one, a statement walks the keys in
 * between. Other requests run between these statements.
 */
export async function* beginnings(
  db: Db,
  collectionId: number,
  { groups, step }: Sample,
): AsyncGenerator<string> {
  let after = ''
  for (let group = 0; group < groups; group += 1) {
    yield after
    if (group === groups - 1) return
    const next = await textIdAfter(db, collectionId, after, step)
    if (next === undefined) return
    after = next
  }
}
