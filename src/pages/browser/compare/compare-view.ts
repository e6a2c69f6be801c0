/** What the page that compares two projects shows, as its URL says it. */
export interface CompareView {
  /** `owner/handle`, or ''. */
  readonly a: string
  readonly b: string
  readonly k: number
  /** From 1. */
  readonly page: number
}

export const comparedNeighbours = [5, 10, 20]
const usualK = 10
const path = /^[\w-]{1,100}\/[\w-][\w.-]{0,99}$/

/** What cannot be read is as if it were not there. */
export function readCompareView(search: string): CompareView {
  const query = new URLSearchParams(search)
  const project = (name: string) => {
    const given = (query.get(name) ?? '').trim()
    return path.test(given) ? given : ''
  }
  const [k, page] = [Number(query.get('k')), Number(query.get('page') ?? 1)]
  return {
    a: project('a'),
    b: project('b'),
    k: comparedNeighbours.includes(k) ? k : usualK,
    page: Number.isSafeInteger(page) && page >= 1 && page < 1e6 ? page : 1,
  }
}

/** What `readCompareView` reads again. */
export function printCompareView({ a, b, k, page }: CompareView): string {
  const query = new URLSearchParams({ a, b })
  if (k !== usualK) query.set('k', String(k))
  if (page > 1) query.set('page', String(page))
  return `?${query}`.replaceAll('%2F', '/')
}
