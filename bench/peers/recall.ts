import { textIdAt } from '../data.ts'
import { mean } from '../figures.ts'
import { createTruth } from '../truth.ts'
import type { DataSet } from './data-set.ts'
import type { Peer, PeersBench } from './peer.ts'

/** A filtered search leaves out the book of the vector that is searched for. */
export function truthOf(set: DataSet) {
  const leftOut = (index: number, query: number) => set.bookOf(index) === set.bookOf(query)
  const truth = createTruth(set, set.queries, leftOut)
  for (let index = 0; index < set.vectors; index += 1) truth.see(index, set.vectorAt(index))
  return truth
}

/** The mean recall@10 over all queries, each of which is asked once. */
export async function recallOf(
  { set, truth }: Pick<PeersBench, 'set' | 'truth'>,
  find: Peer['find'],
  filtered: boolean,
): Promise<number> {
  const recalls = []
  for (const query of set.queries) {
    const found = await find(query, filtered)
    recalls.push(truth.recall(query, found.map(textIdAt), filtered))
  }
  return mean(recalls)
}
