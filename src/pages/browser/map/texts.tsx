import type { components } from '../../../client/api.ts'
import { call } from '../call.ts'
import { counted } from '../counted.ts'
import { frame } from '../frame.ts'
import { percentEncoded } from '../project/requests.ts'
import { useLoaded } from '../use-loaded.ts'
import type { MapPoints } from './map-data.ts'
import { countValues } from './selection.ts'

type Listed = components['schemas']['Embedding']

const waitMs = 120

/** Not for each point that the pointer passes. */
const textOf = (name: string, textId: string, signal: AbortSignal) =>
  new Promise((resolve) => setTimeout(resolve, waitMs)).then(async () => {
    signal.throwIfAborted()
    const query = `text_id=${percentEncoded(textId)}&include=text`
    const { data } = await call<Listed>(`v1/embeddings/${name}?${query}`, { signal })
    return data.text ?? ''
  })

interface PointedProps {
  readonly name: string
  /** Undefined where the pointer is at no point. */
  readonly textId: string | undefined
}

/** The text of the point under the pointer. */
export function PointedText({ name, textId }: PointedProps) {
  const { value } = useLoaded(textId ?? '', (signal) =>
    textId === undefined ? undefined : textOf(name, textId, signal),
  )
  return (
    <div class="pointed" aria-live="polite">
      {textId === undefined ? (
        <p class="soft">Point at a text to read it; drag, scroll or use the keys to move.</p>
      ) : (
        <>
          <strong class="text-id">{textId}</strong>
          <p class="text">{value}</p>
        </>
      )}
    </div>
  )
}

interface SelectedProps {
  readonly name: string
  readonly points: MapPoints
  readonly selection: readonly number[]
  readonly clear: () => void
}

const shownTexts = 20
const shownValues = 6

/** What was drawn around: how many, the values of the field among them, and the first of the texts. */
export function SelectedTexts({ name, points, selection, clear }: SelectedProps) {
  const { field, textIds } = points
  const shown = selection.slice(0, shownTexts).map((at) => textIds[at] ?? '')
  const values = field === undefined ? [] : countValues(field, selection).slice(0, shownValues)
  const texts = useLoaded(JSON.stringify(shown), (signal) =>
    Promise.all(shown.map((textId) => textOf(name, textId, signal))),
  )
  return (
    <section class="selected" aria-label="Selected texts">
      <h2>
        {counted(selection.length)} selected{' '}
        <button type="button" class="quiet" onClick={clear}>
          Clear
        </button>
      </h2>
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
            <a class="text-id" href={`../${frame.project}?text_id=${percentEncoded(textId)}`}>
              {textId}
            </a>
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
