import { effortsFor, type SearchIndex } from '../search-indexes/policy.ts'
import type { Found, Query, Statements, Window } from './statements.ts'

/** A page of results, most similar first, and how it was found. */
export interface Ranking {
  readonly results: Found[]
  readonly mode: 'exact' | 'approximate'
}

const plain = ({ id, similarity }: Found): Found => ({ id, similarity })

export async function rankExactly(
  statements: Statements,
  query: Query,
  page: Window,
): Promise<Ranking> {
  const found = await statements.exactly(query, page)
  return { results: found.map(plain), mode: 'exact' }
}

/**
 * One ranking, whatever page of it is asked for: first what the index finds, then, where it finds too
 * little for the page, what a deeper search of the index finds besides, at last all the rest by an
 * exact search. Each part leaves out the ones before, so that pages have no gaps and no repeats.
 */
export async function rankWithIndex(
  statements: Statements,
  query: Query,
  page: Window,
  index: SearchIndex,
): Promise<Ranking> {
  const end = page.offset + page.limit
  const head: Found[] = []
  for (const effort of effortsFor(index)) {
    const had = head.map(({ id }) => id)
    const most = Math.min(effort.candidates, end - head.length)
    const found = await statements.byIndex(query, index, effort, most, had)
    head.push(...found)
    if (head.length >= end) return { results: head.slice(page.offset, end), mode: 'approximate' }
    // The threshold or the filter has eaten candidates: there are hardly more of them to be found.
    if (found.length < effort.candidates) break
  }
  return continueExactly(statements, query, page, head)
}

async function continueExactly(
  statements: Statements,
  query: Query,
  { offset, limit }: Window,
  head: readonly Found[],
): Promise<Ranking> {
  const begun = head.slice(offset)
  const rest = await statements.exactly(
    query,
    { offset: Math.max(0, offset - head.length), limit: limit - begun.length },
    head.map(({ id }) => id),
  )
  const results = [...begun, ...rest.map(plain)].sort(
    (a, b) => b.similarity - a.similarity || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
  )
  // When the rest holds nothing nearer than the head, the head is what an exact search begins with.
  const [{ highest } = { highest: -1 }] = rest
  const missed = head.some(({ similarity }) => similarity <= highest)
  return { results, mode: missed ? 'approximate' : 'exact' }
}
