import { useMemo, useRef, useState } from 'hono/jsx/dom'
import { Button, counted, RefusalNote } from './elements.tsx'
import { useFields, useLoaded } from './loading.ts'
import { Chart } from './map/chart.tsx'
import { coloursOf, scaleOf } from './map/colours.ts'
import { Legend } from './map/legend.tsx'
import { loadMap, type MapPoints } from './map/map-data.ts'
import { countValues } from './map/plane.ts'
import { loadNeighbours, ReadText, SelectedTexts } from './map/texts.tsx'
import { ProjectFrame } from './project-frame.tsx'

const colourInUrl = () => new URLSearchParams(location.search).get('colour') ?? ''

function ProjectMap() {
  const [path, colourBy] = useState(colourInUrl)
  const [progress, tell] = useState(0)
  const drawn = useRef<{ textIds: readonly string[]; version: number }>({ textIds: [], version: 0 })
  const { value: points, refusal } = useLoaded<MapPoints>(path, (signal) =>
    loadMap(path, signal, tell),
  )
  const { paths } = useFields()
  const choose = (next: string) => {
    const query = next === '' ? '' : `?${new URLSearchParams({ colour: next })}`
    history.replaceState(null, '', location.pathname + query)
    colourBy(next)
  }
  if (refusal !== undefined) return <RefusalNote refusal={refusal} />
  if (points !== undefined && drawn.current !== null) {
    const { textIds, version } = drawn.current
    const isSame =
      textIds.length === points.textIds.length &&
      textIds.every((textId, at) => textId === points.textIds[at])
    if (!isSame) drawn.current = { textIds: points.textIds, version: version + 1 }
  }
  return points === undefined ? (
    <p class="soft" role="status">
      Computing the map: {Math.round(100 * progress)} %{' '}
      <progress value={String(progress)} max="1" aria-label="Progress of the map" />
    </p>
  ) : (
    // What was selected are places among the texts, so another map begins without.
    <DrawnMap key={`${drawn.current?.version}`} {...{ points, paths, path, choose }} />
  )
}

interface MapProps {
  readonly points: MapPoints
  readonly paths: readonly string[]
  readonly path: string
  readonly choose: (path: string) => void
}

interface Filter {
  readonly field: MapPoints['field']
  /** The values whose texts are shown; undefined shows all. */
  readonly shown: ReadonlySet<number> | undefined
}

function DrawnMap({ points, paths, path, choose }: MapProps) {
  const [selection, select] = useState<readonly number[]>([])
  const [isSelecting, setSelecting] = useState(false)
  const [pointed, point] = useState(-1)
  const [chosen, chooseText] = useState(-1)
  const { field, textIds, missing } = points
  const [filter, filterBy] = useState<Filter>({ field, shown: undefined })
  const show = (shown: Filter['shown']) => filterBy({ field, shown })
  // The filter of another field does not apply to this one.
  const shown = filter.field === field ? filter.shown : undefined
  const values = useMemo(
    () => (field === undefined ? [] : countValues(field, textIds.keys())),
    [points],
  )
  const scale = useMemo(() => scaleOf(field), [points])
  const colours = useMemo(() => {
    // Shown values get the colours first, because there are only a few distinct ones.
    const order = values.map(({ index }) => index)
    const first = order.filter((index) => shown?.has(index))
    return coloursOf(field, scale, [...new Set([...first, ...order])])
  }, [values, shown])
  const isShown = useMemo(
    () => (at: number) => shown === undefined || shown.has(field?.indexes[at] ?? -1),
    [points, shown],
  )
  const chosenId = textIds[chosen]
  const neighbours = useLoaded(chosenId ?? '', (signal) =>
    chosenId === undefined ? undefined : loadNeighbours(chosenId, signal),
  )
  const near = chosenId === undefined ? [] : (neighbours.value ?? [])
  const ringed = useMemo(
    () => [chosen, ...near.map(({ id }) => textIds.indexOf(id))].filter((at) => at !== -1),
    [chosen, neighbours.value],
  )
  const selected = useMemo(() => new Set(selection), [selection])
  if (textIds.length === 0) return <p class="soft">There are no texts yet.</p>
  return (
    <div class="map">
      <div class="map-tools">
        <Legend {...{ path, paths, choose, values, colours, scale, shown, show }} />
        <Button isPressed={isSelecting} act={() => setSelecting(!isSelecting)}>
          Select by drawing
        </Button>
        <p class="soft">
          {counted(textIds.length)}
          {missing > 0 && `, ${missing.toLocaleString('en-US')} newer ones are not on the map yet`}.
          Nearby points are similar; large distances mean little.
        </p>
        <ReadText
          textId={textIds[pointed] ?? chosenId}
          neighbours={near}
          choose={(textId) => chooseText(textIds.indexOf(textId))}
        />
        {selection.length > 0 && (
          <SelectedTexts points={points} selection={selection} clear={() => select([])} />
        )}
      </div>
      <Chart
        {...{ points, colours, selected, isSelecting, isShown }}
        chosen={ringed}
        choose={chooseText}
        select={(chosen) => {
          select(chosen)
          setSelecting(false)
        }}
        hover={point}
      />
    </div>
  )
}

export const MapPage = () => (
  <ProjectFrame
    isForTexts
    show={(project, caller) => project !== undefined && <ProjectMap key={caller} />}
  />
)
