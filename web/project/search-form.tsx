import { useLayoutEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { Notice, typedIn } from '../elements.tsx'
import { frame } from '../frame.ts'
import { pause, useLoaded } from '../loading.ts'
import { percentEncoded } from './requests.ts'
import { parseVector } from './vector-text.ts'
import { byWords, firstPage, type Navigation, recognise, type Sought } from './view.ts'

interface Props extends Navigation {
  /** Why the project's provider is not asked for the meaning of words; undefined if it is. */
  readonly noMeaning: string | undefined
  readonly dimensions: number | undefined
}

type Choice = 'any' | Sought['by']

const names: Readonly<Record<Choice, string>> = {
  any: 'Automatic',
  words: 'Words',
  meaning: 'Meaning',
  both: 'Words and meaning',
  text_id: 'text_id',
  vector: 'Vector',
}

export function SearchForm({ view, noMeaning, dimensions, go }: Props) {
  const [by, choose] = useState<Choice>('any')
  const [typed, type] = useState(textOf(view.sought))
  const [problem, say] = useState('')
  const meant = recognise(typed, by)
  const isBegun = meant === 'text_id' && typed !== '' && typed !== textOf(view.sought)
  const suggested = useLoaded(isBegun ? typed : undefined, textIdsWith)
  // An ordinary effect waits for the next frame, and could replace what was typed until then.
  useLayoutEffect(() => {
    type(textOf(view.sought))
    say('')
  }, [view.sought])
  const search = (event: Event) => {
    event.preventDefault()
    if (typed.trim() === '') return go(firstPage({ ...view, sought: undefined }))
    const sought = soughtFrom(typed, meant)
    if (typeof sought === 'string') return say(sought)
    go(firstPage({ ...view, sought }))
  }
  const choices: Choice[] = ['any', ...byWords, 'text_id', 'vector']
  const isOff = (each: Choice) => noMeaning !== undefined && (each === 'meaning' || each === 'both')
  const choice = (event: Event) => choose(choices.find((each) => each === typedIn(event)) ?? 'any')
  const kinds = 'words, a text_id or a vector'
  const size = dimensions === undefined ? '' : ` of ${dimensions} numbers`
  return (
    <search>
      <form class="search" onSubmit={search}>
        <label class="hidden" for="sought">
          Search by {kinds}
        </label>
        <input
          id="sought"
          type="search"
          value={typed}
          placeholder={`Find texts: ${kinds}${size}`}
          list="text-ids"
          autocomplete="off"
          spellcheck={false}
          onInput={(event: Event) => type(typedIn(event))}
        />
        <datalist id="text-ids">
          {suggested.value?.map((textId) => (
            <option key={textId} value={textId} />
          ))}
        </datalist>
        <label class="hidden" for="by">
          What it is
        </label>
        <select id="by" value={by} onChange={choice}>
          {choices.map((each) => (
            <option key={each} value={each} selected={each === by} disabled={isOff(each)}>
              {isOff(each) ? `${names[each]} (${noMeaning})` : names[each]}
            </option>
          ))}
        </select>
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      {problem !== '' && <Notice kind="error">{problem}</Notice>}
    </search>
  )
}

const suggestions = 8
/** Waits first, so that there is no request for each keystroke. */
const waitMs = 150

/** text_ids are sorted, so those that begin with what was typed follow it. */
async function textIdsWith(signal: AbortSignal, typed: string): Promise<string[]> {
  await pause(waitMs, signal)
  const query = `limit=${suggestions}&include=&after=${percentEncoded(typed)}`
  const path = `v1/embeddings/${frame.name}?${query}`
  const { data } = await call<Schemas['EmbeddingList']>(path, { signal })
  return data.embeddings.map((each) => each.text_id).filter((id) => id.startsWith(typed))
}

/** @returns an error message, or what to search for */
function soughtFrom(typed: string, by: Sought['by']): Sought | string {
  if (by === 'text_id') return { by, textId: typed.trim() }
  if (by !== 'vector') return { by, words: typed.trim() }
  const vector = parseVector(typed)
  return vector === undefined
    ? 'A vector is a list of numbers separated by commas or spaces, such as [0.1, -0.2, 0.3].'
    : { by, vector }
}

function textOf(sought: Sought | undefined): string {
  if (sought === undefined) return ''
  if (sought.by === 'text_id') return sought.textId
  return 'words' in sought ? sought.words : JSON.stringify(sought.vector)
}
