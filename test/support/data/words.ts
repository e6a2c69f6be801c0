import type { Page } from '../../../src/db/page.ts'
import { SearchSums } from '../../../src/search/words/sums.ts'
import type { WordMatches } from '../../../src/search/words/thread.ts'
import type { WordIndex } from '../../../src/search/words/word-index.ts'
import type { WordQuery } from '../../../src/search/words/word-query.ts'

/** The steps of a search with sums of its own. */
export const stepsOf = (
  index: WordIndex,
  query: WordQuery,
  page: Page,
  kept?: readonly string[],
  maxWork = 30_000_000,
) => index.ranking(new SearchSums(), { kept, maxWork }).page(query, page)

/** A whole search at once. */
export function findPage(...search: Parameters<typeof stepsOf>): WordMatches {
  const steps = stepsOf(...search)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
