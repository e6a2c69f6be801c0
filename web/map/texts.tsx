import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { csvCell } from '../duplicates/pairs.ts'
import { Button, counted } from '../elements.tsx'
import { frame } from '../frame.ts'
import { TextLink } from '../links.tsx'
import { pause, useLoaded } from '../loading.ts'
import { percentEncoded } from '../project/requests.ts'
import { saveAs } from '../save.ts'
import type { MapPoints, PointField } from './map-data.ts'
import { countValues } from './plane.ts'

const waitMs = 120

/** Waits first, so that points the pointer only passes cause no request. */
async function textOf(textId: string, signal: AbortSignal): Promise<string> {
  await pause(waitMs, signal)
  const path = `v1/embeddings/${frame.name}?text_id=${percentEncoded(textId)}&include=text`
  const { data } = await call<Schemas['Embedding']>(path, { signal })
  return data.text ?? ''
}

interface ReadProps {
  /** Undefined if no point is under the pointer and none is chosen. */
  readonly textId: string | undefined
  /** The texts most similar to the chosen one. */
  readonly neighbours: readonly Schemas['SearchResult'][]
  readonly choose: (textId: string) => void
}

const neighbours = 5

export const loadNeighbours = (textId: string, signal: AbortSignal) =>
  call<Schemas['SimilarityResponse']>(`v1/similars/${frame.name}`, {
    body: { text_id: textId, limit: neighbours, threshold: 0 },
    signal,
  }).then(({ data }) => data.results)

export function ReadText({ textId, neighbours, choose }: ReadProps) {
  const { value } = useLoaded(textId ?? '', (signal) =>
    textId === undefined ? undefined : textOf(textId, signal),
  )
  return (
    <div class="pointed" aria-live="polite">
      {textId === undefined ? (
        <p class="soft">
          Point at a text to read it, choose it to see its neighbours; drag, scroll, pinch or use
          the keys to move.
        </p>
      ) : (
        <>
          <TextLink textId={textId} />
          <p class="text">{value}</p>
        </>
      )}
      {neighbours.length > 0 && (
        <ol class="neighbours" aria-label="Neighbours">
          {neighbours.map(({ id, similarity }) => (
            <li key={id}>
              <Button kind="quiet" act={() => choose(id)}>
                {id}
              </Button>{' '}
              <span class="count">{similarity?.toFixed(3)}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

interface SelectedProps {
  readonly points: MapPoints
  readonly selection: readonly number[]
  readonly clear: () => void
}

/** A text_id and its value of the field; undefined for no value. */
type Row = readonly [textId: string, value: string | number | boolean | undefined]

const fieldValue = (field: PointField | undefined, at: number) =>
  field?.values[field.indexes[at] ?? -1]

const csvValue = (value: Row[1]) =>
  typeof value === 'number' ? `${value}` : csvCell(`${value ?? ''}`)
const csvLine = ([textId, value]: Row) => `${csvCell(textId)},${csvValue(value)}\r\n`
const jsonLine = ([text_id, value]: Row) => `${JSON.stringify({ text_id, value })}\n`

const shownTexts = 20
const shownValues = 6

export function SelectedTexts({ points, selection, clear }: SelectedProps) {
  const { field, textIds } = points
  const shown = selection.slice(0, shownTexts).map((at) => textIds[at] ?? '')
  const values = field === undefined ? [] : countValues(field, selection).slice(0, shownValues)
  const save = (type: 'csv' | 'ndjson', print: (row: Row) => string, header = '') => {
    const rows = selection.map((at) => print([textIds[at] ?? '', fieldValue(field, at)]))
    saveAs('selection', type, header + rows.join(''))
  }
  const texts = useLoaded(JSON.stringify(shown), (signal) =>
    Promise.all(shown.map((textId) => textOf(textId, signal))),
  )
  return (
    <section class="selected" aria-label="Selected texts">
      <h2>
        {counted(selection.length)} selected{' '}
        <Button kind="quiet" act={clear}>
          Clear
        </Button>
      </h2>
      <p>
        Save as{' '}
        <Button kind="quiet" act={() => save('csv', csvLine, 'text_id,value\r\n')}>
          CSV
        </Button>{' '}
        or{' '}
        <Button kind="quiet" act={() => save('ndjson', jsonLine)}>
          NDJSON
        </Button>
      </p>
      {field !== undefined && (
        <ul class="values">
          {values.map(({ index, label, count }) => (
            <li key={`${index}`}>
              {label} <span class="count">{count.toLocaleString('en-US')}</span>
            </li>
          ))}
        </ul>
      )}
      <ol class="rows">
        {shown.map((textId, place) => (
          <li key={textId} class="row">
            <TextLink textId={textId} />
            <p class="text">{texts.value?.[place]}</p>
          </li>
        ))}
      </ol>
      {selection.length > shown.length && (
        <p class="soft">and {(selection.length - shown.length).toLocaleString('en-US')} more</p>
      )}
    </section>
  )
}
