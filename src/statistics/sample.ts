import { textIdAfter } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'

/** How a number of embeddings is looked at: all, or groups of neighbours spread evenly over the order of text_ids. */
interface Sample {
  readonly groups: number
  /** From the beginning of one group to that of the next. */
  readonly step: number
  /** How many of a step are looked at. */
  readonly take: number
}

/** Of so many groups a sample consists. */
const sampleGroups = 100

/**
 * @param most up to which all are looked at; above it, so many of them
 * @param atOnce how many are read by one statement where all are
 */
export function sampleOver(total: number, most: number, atOnce: number): Sample {
  if (total <= most) return { groups: Math.ceil(total / atOnce), step: atOnce, take: atOnce }
  const step = Math.floor(total / sampleGroups)
  return { groups: sampleGroups, step, take: most / sampleGroups }
}

/**
 * The text_ids behind which the groups begin. To find the next one the keys in between are walked, by
 * one statement each: other requests come in between.
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
