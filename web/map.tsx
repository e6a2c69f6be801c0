import { useState } from 'hono/jsx/dom'
import { Button, counted, Loading, printNumber, RefusalNote } from './elements.tsx'
import { useFields, useLoaded, useUrlState } from './loading.ts'
import { Chart } from './map/chart.tsx'
import { maxHits, useColours, useHits, useMarked, useNeighbours } from './map/drawing.ts'
import { Legend } from './map/legend.tsx'
import { loadMap, loadRegions, type MapWait } from './map/map-data.ts'
import {
  type MapNavigation,
  type MapView,
  printMapView,
  readMapView,
  shortOutline,
} from './map/map-view.ts'
import type { MapPoints } from './map/plane.ts'
import type { Region } from './map/regions.ts'
import { useShown } from './map/shown.ts'
import { TextTable } from './map/text-table.tsx'
import { FilterAside } from './project/facets.tsx'
import { type Asker, SearchForm, useConfirmedWords } from './project/search-form.tsx'
import type { View } from './project/view.ts'
import { type Framed, framed } from './project-frame.tsx'

function ProjectMap(props: Framed) {
  const [view, go] = useUrlState(readMapView, printMapView)
  const [progress, tell] = useState<MapWait | undefined>(undefined)
  const { colour } = view
  const map = useLoaded(colour, (signal) => loadMap(colour, signal, tell))
  if (map.refusal !== undefined) return <RefusalNote refusal={map.refusal} />
  if (map.value === undefined) return progress ? <Computing {...progress} /> : <Loading />
  return <DrawnMap points={map.value} isLoading={map.isLoading} {...{ ...props, view, go }} />
}

export const MapPage = framed(ProjectMap, { isForTexts: true })

const Computing = ({ status, progress }: MapWait) => (
  <p class="soft" role="status">
    {status === 'waiting' ? 'Maps of other projects are computed first' : 'Computing the map'}:{' '}
    {Math.round(100 * progress)} %{' '}
    <progress value={String(progress)} max="1" aria-label="Progress of the map" />
  </p>
)

interface MapProps extends Asker, MapNavigation {
  readonly points: MapPoints
  readonly isLoading: boolean
}

function DrawnMap({ points, isLoading, view, go, ...caller }: MapProps) {
  const { field } = points
  const [isSelecting, setSelecting] = useState(false)
  const fields = useFields()
  const { question, confirm } = useConfirmedWords(view)
  const types = fields.value?.fields.find(({ path }) => path === field?.path)?.types
  const kept = useShown(points, view, types !== undefined && types['array'] === undefined)
  const { around, shown } = kept
  const searched = useHits(points, view, question === undefined)
  const { hits } = searched
  const { colours, ...legend } = useColours(points, view, around)
  const { selection, found, lit } = useMarked(points, view, shown, hits)
  const regions = useLoaded(points.version, (signal) => loadRegions(points, signal)).value ?? []
  const { chosen } = view
  const drawn = { points, colours, shown, lit, regions, chosen, ...useNeighbours(points, chosen) }
  const listed = selection.length > 0 ? selection : found
  const choose = (textId: string) => go({ ...view, chosen: textId })
  const goTo = (next: Partial<MapView>) => go({ ...view, ...next })
  const search = (next: View) => {
    confirm(next)
    goTo(next)
  }
  const quiet = (words: string, part: Partial<MapView>) => (
    <Button kind="quiet" act={() => goTo(part)}>
      {words}
    </Button>
  )
  return (
    <div class="map">
      <div class="above">
        <SearchForm {...caller} view={view} go={search} />
      </div>
      <div class="map-tools">
        <Legend paths={fields.paths} {...legend} {...{ field, colours, view, go }} />
        <FilterAside fields={fields} isOpen={false} view={view} go={goTo} />
        <Regions regions={regions} view={view} go={go} />
        {isLoading && <Loading />}
        <p class="soft">
          Hover over a point to read it; click or tap it to see its nearest neighbours. Drag, scroll
          or pinch to move. Nearby points are similar; large distances mean little. Regions are
          named by words that are typical of some texts there.
        </p>
      </div>
      <div class="found">
        {question}
        <RefusalNote refusal={searched.refusal ?? kept.refusal} />
        <div class="tools">
          <span role="status">{summaryOf(points, kept, searched)}</span>
          {shown.includes(0) && quiet('Show all texts', { filter: {}, prefix: '' })}
          {view.sought !== undefined && quiet('End the search', { sought: undefined })}
          {view.outline.length > 0 && quiet('Clear the selection', { outline: [] })}
          <span class="gap" />
          <Button isPressed={isSelecting} act={() => setSelecting(!isSelecting)}>
            Select by drawing
          </Button>
        </div>
        <Chart
          {...drawn}
          {...{ isSelecting, choose, hits: found, outline: view.outline, look: view.look }}
          looksElsewhere={(look) => go({ ...view, look }, 'replaceState')}
          select={(outline) => {
            setSelecting(false)
            go({ ...view, outline: shortOutline(outline) })
          }}
        />
        {listed.length > 0 && (
          <TextTable
            title={`${counted(listed.length)} ${selection.length > 0 ? 'selected' : 'found'}`}
            of={listed}
            {...{ points, hits, choose }}
          />
        )}
      </div>
    </div>
  )
}

const regionZoom = 6

/** The names that stand on the map, each of which leads there. */
const Regions = ({ regions, view, go }: MapNavigation & { readonly regions: readonly Region[] }) =>
  regions.length === 0 ? null : (
    <details>
      <summary>{counted(regions.length, 'region')}</summary>
      <ol class="regions" aria-label="Regions">
        {regions.map(({ text, x, y }) => (
          <li key={`${x},${y}`}>
            <Button kind="quiet" act={() => go({ ...view, look: `${x},${y},${regionZoom}` })}>
              {text}
            </Button>
          </li>
        ))}
      </ol>
    </details>
  )

function summaryOf(
  { textIds, missing }: MapPoints,
  { shown, isLoading }: ReturnType<typeof useShown>,
  found: ReturnType<typeof useHits>,
): string {
  if (isLoading) return 'Filtering…'
  if (found.isLoading) return 'Searching…'
  const count = shown.reduce((sum, is) => sum + is, 0)
  const of = count === textIds.length ? '' : `${printNumber(count)} of `
  const size = found.hits?.size ?? 0
  const hits = `, ${size < maxHits ? '' : 'the best '}${size || 'none'} found`
  const newer = `, ${printNumber(missing)} newer ones are not on the map yet`
  return `${of}${counted(textIds.length)}${found.hits ? hits : ''}${missing === 0 ? '' : newer}`
}
