import { printView, readView, type View } from '../project/view.ts'
import type { Outline } from './plane.ts'

/** The state of the map, as its URL stores it: that of a search, and what only the map shows. */
export interface MapView extends View {
  /** The field that colours the points; '' for none. */
  readonly colour: string
  /** Rarer values that have a colour too. '' is a place that was given up, so that others keep theirs. */
  readonly picked: readonly string[]
  /** The text_id of the chosen text; '' for none. */
  readonly chosen: string
  /** What is selected lies within it. */
  readonly outline: Outline
  /** What is looked at, as the chart writes it; '' for the whole map. */
  readonly look: string
}

export interface MapNavigation {
  readonly view: MapView
  readonly go: (view: MapView, how?: 'replaceState') => void
}

/** Ignores parameters that cannot be read. */
export function readMapView(url: { search: string; hash: string }): MapView {
  const query = new URLSearchParams(url.search)
  const area =
    query
      .get('area')
      ?.split(',')
      .slice(0, 2 * maxCorners)
      .map(Number) ?? []
  const corners = area.every(Number.isFinite) ? area : []
  return {
    ...readView(url),
    colour: query.get('colour') ?? '',
    picked: query.getAll('picked'),
    chosen: query.get('chosen') ?? '',
    outline: corners.flatMap((x, at) => (at % 2 === 0 ? { x, y: corners[at + 1] ?? 0 } : [])),
    look: query.get('look') ?? '',
  }
}

/** The inverse of `readMapView`. */
export function printMapView(view: MapView): string {
  const { colour, picked, chosen, outline, look } = view
  const [search = '', hash] = printView(view).split('#')
  const query = new URLSearchParams(search)
  const own = { colour, chosen, look, area: outline.flatMap(({ x, y }) => [x, y]).join() }
  for (const [name, value] of Object.entries(own)) if (value !== '') query.set(name, value)
  for (const label of picked) query.append('picked', label)
  return `?${query}${hash === undefined ? '' : `#${hash}`}`
}

const maxCorners = 60
const stepsPerUnit = 1e5

/** An outline that fits into a URL: some of the corners that a pointer has left. */
export function shortOutline(outline: Outline): Outline {
  const every = Math.ceil(outline.length / maxCorners)
  const rounded = (value: number) => Math.round(value * stepsPerUnit) / stepsPerUnit
  return outline.flatMap(({ x, y }, at) =>
    at % every === 0 ? { x: rounded(x), y: rounded(y) } : [],
  )
}
