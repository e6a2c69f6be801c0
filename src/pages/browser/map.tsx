import { render, useMemo, useState } from 'hono/jsx/dom'
import type { components } from '../../client/api.ts'
import { call, type RefusedCall } from './call.ts'
import { counted } from './counted.ts'
import { frame, islandElement } from './frame.ts'
import { storedKey } from './key.ts'
import { KeyBar, KeyForm } from './key-bar.tsx'
import { Chart } from './map/chart.tsx'
import { coloursOf } from './map/colours.ts'
import { Legend } from './map/legend.tsx'
import { loadMap, type MapPoints } from './map/map-data.ts'
import { countValues } from './map/selection.ts'
import { PointedText, SelectedTexts } from './map/texts.tsx'
import { useLoaded } from './use-loaded.ts'

type Fields = components['schemas']['ProjectFields']

const name = `${frame.owner}/${frame.project}`
const colourInUrl = () => new URLSearchParams(location.search).get('colour') ?? ''

function MapPage() {
  const [keyNumber, count] = useState(0)
  const [path, colourBy] = useState(colourInUrl)
  const [progress, tell] = useState(0)
  const changed = () => count((before) => before + 1)
  const loaded = useLoaded<MapPoints>(JSON.stringify([keyNumber, path]), (signal) =>
    loadMap(name, path, signal, tell),
  )
  const fields = useLoaded<Fields>(`${keyNumber}`, (signal) =>
    call<Fields>(`v1/projects/${name}/fields`, { signal }).then(({ data }) => data),
  )
  const { value: points, refusal } = loaded
  const choose = (next: string) => {
    const query = next === '' ? '' : `?${new URLSearchParams({ colour: next })}`
    history.replaceState(null, '', location.pathname + query)
    colourBy(next)
  }
  return (
    <>
      <div class="head">
        <h1>
          <span class="owner">Map of {frame.owner} / </span>
          <a href={`../${frame.project}`}>{frame.project}</a>
        </h1>
        <KeyBar changed={changed} />
      </div>
      {refusal !== undefined && <Refused refusal={refusal} changed={changed} />}
      {refusal === undefined && points === undefined && (
        <p class="soft" role="status">
          Computing the map: {Math.round(100 * progress)} %{' '}
          <progress value={String(progress)} max="1" aria-label="Progress of the map" />
        </p>
      )}
      {points !== undefined && (
        <DrawnMap
          points={points}
          paths={fields.value?.fields.flatMap((field) =>
            field.values.length > 0 ? field.path : [],
          )}
          path={path}
          choose={choose}
        />
      )}
    </>
  )
}

interface MapProps {
  readonly points: MapPoints
  /** The fields that points can be coloured by. */
  readonly paths: readonly string[] | undefined
  readonly path: string
  readonly choose: (path: string) => void
}

function DrawnMap({ points, paths, path, choose }: MapProps) {
  const [selection, select] = useState<readonly number[]>([])
  const [isSelecting, setSelecting] = useState(false)
  const [pointed, point] = useState(-1)
  const { field, textIds, missing } = points
  const values = useMemo(
    () => (field === undefined ? [] : countValues(field, textIds.keys())),
    [points],
  )
  const colours = useMemo(() => coloursOf(values.map(({ index }) => index)), [values])
  const selected = useMemo(() => new Set(selection), [selection])
  if (textIds.length === 0) return <p class="soft">There are no texts yet.</p>
  return (
    <div class="map">
      <div class="map-tools">
        <Legend {...{ path, paths: paths ?? [], choose, values, colours }} total={textIds.length} />
        <button
          type="button"
          aria-pressed={isSelecting ? 'true' : 'false'}
          onClick={() => setSelecting(!isSelecting)}
        >
          Select by drawing
        </button>
        <p class="soft">
          {counted(textIds.length)}
          {missing > 0 && `, ${missing.toLocaleString('en-US')} newer ones are not on the map yet`}.
          Only what is near means something.
        </p>
        <PointedText name={name} textId={textIds[pointed]} />
        {selection.length > 0 && (
          <SelectedTexts
            name={name}
            points={points}
            selection={selection}
            clear={() => select([])}
          />
        )}
      </div>
      <Chart
        {...{ points, colours, selected, isSelecting }}
        select={(chosen) => {
          select(chosen)
          setSelecting(false)
        }}
        hover={point}
      />
    </div>
  )
}

interface RefusedProps {
  readonly refusal: RefusedCall
  readonly changed: () => void
}

/** The same for what does not exist and for what may not be read. */
const Refused = ({ refusal, changed }: RefusedProps) => (
  <section class="panel">
    <p class="refusal" role="alert">
      {refusal.message}
    </p>
    {storedKey() === undefined && refusal.status === 401 && <KeyForm changed={changed} />}
  </section>
)

render(<MapPage />, islandElement())
