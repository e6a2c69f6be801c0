import { textIdAt } from '../data.ts'
import { mean } from '../figures.ts'
import { createTruth, type Truth } from '../truth.ts'
import type { DataSet } from './data-set.ts'
import { type Ask, type Filter, keeps } from './filter.ts'

/** Searches of which it is known what they should find: without a filter, and with this one. */
export interface Questions {
  readonly queries: readonly number[]
  readonly truth: Truth
}

export function questionsOf(set: DataSet, queries: readonly number[], filter: Filter): Questions {
  const leftOut = (index: number, query: number) =>
    !keeps(filter, set.metadataOf(index), set.metadataOf(query))
  const truth = createTruth(set, queries, leftOut)
  for (let index = 0; index < set.vectors; index += 1) truth.see(index, set.vectorAt(index))
  return { queries, truth }
}

/** The mean recall@10 over all queries, each of which is asked once. */
export async function recallOf(
  { queries, truth }: Questions,
  find: (query: number, ask: Ask) => Promise<{ readonly found: readonly number[] }>,
  ask: Ask,
): Promise<number> {
  const recalls = []
  for (const query of queries) {
    const { found } = await find(query, ask)
    recalls.push(truth.recall(query, found.map(textIdAt), ask.filter !== undefined))
  }
  return mean(recalls)
}
