import { emptyView, printView, readView, type View, wholeFilter } from '../project/view.ts'
import { maxPairs, type Pair } from './pairs.ts'

/** The state of the near-duplicates page, as its URL stores it: nothing is sought. */
export interface DuplicatesView extends View {
  /** The field in which both texts of a pair have to differ; '' for none. */
  readonly different: string
  readonly shows: 'pairs' | 'groups'
  /** Counted from 1. */
  readonly page: number
}

export const leastThreshold = 0.8
const usual = 0.95

/** Ignores parameters that cannot be read. */
export function readDuplicatesView(search: string): DuplicatesView {
  const query = new URLSearchParams(search)
  const threshold = Number(query.get('threshold') ?? usual)
  const page = Number(query.get('page') ?? 1)
  return {
    ...readView({ search, hash: '' }),
    sought: undefined,
    threshold: threshold >= leastThreshold && threshold <= 1 ? threshold : usual,
    different: query.get('different') ?? '',
    shows: query.get('shows') === 'groups' ? 'groups' : 'pairs',
    page: Number.isSafeInteger(page) && page >= 1 && page <= maxPairs ? page : 1,
  }
}

/** The inverse of `readDuplicatesView`. */
export function printDuplicatesView(view: DuplicatesView): string {
  const { threshold, different, filter, prefix, shows, page } = view
  const query = new URLSearchParams(printView({ ...emptyView, filter, prefix }))
  if (threshold !== usual) query.set('threshold', String(threshold))
  if (different !== '') query.set('different', different)
  if (shows !== 'pairs') query.set('shows', shows)
  if (page > 1) query.set('page', String(page))
  return `?${query}`
}

/** Requested per text. */
export const maxNeighbours = 100

/** Rounding can make the similarity of equal vectors slightly less than 1. */
const equal = 0.999999

/** @param from the lowest similarity to request, which may be below the view's threshold */
export function neighboursBody(view: DuplicatesView, from: number): object {
  const filter = wholeFilter(view)
  return {
    k: maxNeighbours,
    threshold: Math.min(from, equal),
    ...(filter !== undefined && { filter }),
    ...(view.different !== '' && { different: view.different }),
  }
}

/** The pairs that reach the threshold. @param pairs most similar first */
export function pairsAbove(pairs: readonly Pair[], { threshold }: DuplicatesView): readonly Pair[] {
  const least = Math.min(threshold, equal)
  const end = pairs.findIndex(({ similarity }) => similarity < least)
  return end === -1 ? pairs : pairs.slice(0, end)
}
