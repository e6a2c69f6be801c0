import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Outcome } from '../http-client.ts'
import type { Tally } from '../tally.ts'
import type { Lane } from './lane.ts'
import type { Member, Pair } from './pair.ts'
import { vectorOf } from './vectors.ts'

const limit = 50

const Answer = z.object({
  results: z.array(z.object({ id: z.string(), similarity: z.number() })),
})

export interface PagesSeen {
  pages: number
  /** Where one server asked an index and the other did not. */
  modesDiffer: number
}

/** Reads a ranking of all texts of a project page by page, from both servers. */
export async function comparePages(
  pair: Pair,
  lane: Lane,
  sought: string,
  tally: Tally,
  seen: PagesSeen,
): Promise<void> {
  const body = { vector: vectorOf(sought) }
  const union: string[] = []
  for (let offset = 0; offset < lane.texts.size; offset += limit) {
    const path = `/v1/similars/${lane.owner}/${lane.handle}?threshold=0&limit=${limit}&offset=${offset}`
    const ask = ({ call }: Member) => call('POST', path, body)
    const [a, b] = await Promise.all([ask(pair.first), ask(pair.second)])
    const [ofA, ofB] = [resultsOf(a, path, tally), resultsOf(b, path, tally)]
    if (!isDeepStrictEqual(ofA, ofB)) tally.violate('wrong answers', `${path}: not one ranking`)
    if (a.headers['x-search-mode'] !== b.headers['x-search-mode']) seen.modesDiffer += 1
    seen.pages += 1
    // The first page from one server, the second from the other, and so on.
    union.push(...((offset / limit) % 2 === 0 ? ofA : ofB).map(({ id }) => id))
  }
  for (const flaw of flawsOfPages(union, lane.texts)) {
    tally.violate('wrong answers', `the pages of ${lane.owner}/${lane.handle}: ${flaw}`)
  }
}

/** Whether all pages together are all texts, once each. */
export function flawsOfPages(union: readonly string[], texts: ReadonlySet<string>): string[] {
  const different = new Set(union)
  const counts = {
    repeated: union.length - different.size,
    missing: [...texts].filter((textId) => !different.has(textId)).length,
    unknown: [...different].filter((textId) => !texts.has(textId)).length,
  }
  return Object.entries(counts).flatMap(([what, times]) => (times > 0 ? [`${times} ${what}`] : []))
}

function resultsOf({ status, reason, body }: Outcome, path: string, tally: Tally) {
  const answer = Answer.safeParse(body)
  if (status === 200 && answer.success) return answer.data.results
  tally.violate('wrong answers', `${path}: ${status} ${reason}`)
  return []
}
