import { usualPage } from '../../db/page.ts'
import type { SearchOptions } from './search-options.ts'

/** Defaults of a search and of a request for all neighbours. */
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
