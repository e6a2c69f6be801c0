import { usualPage } from '../../db/page.ts'
import type { SearchOptions } from './search-options.ts'

/** What a search does, and a request for all neighbours, where it is not told otherwise. */
export const usualSearch: SearchOptions = {
  limit: usualPage,
  offset: 0,
  threshold: 0.5,
  exclude: undefined,
  filter: undefined,
  exact: false,
  minRecall: undefined,
  includeSelf: false,
  grouping: undefined,
  totals: false,
}
