import { useEffect, useState } from 'hono/jsx/dom'
import { typedIn } from '../elements.tsx'
import { parseVector } from './vector-text.ts'
import { firstPage, recognise, type Sought, type View } from './view.ts'

interface Props {
  readonly view: View
  readonly hasWords: boolean
  readonly dimensions: number | undefined
  /** Loads text_ids that begin with the typed text. */
  readonly suggest: (typed: string) => Promise<readonly string[]>
  readonly go: (view: View) => void
}

type Choice = 'any' | Sought['by']

const names: Readonly<Record<Choice, string>> = {
  any: 'Automatic',
  words: 'Words',
  text_id: 'text_id',
  vector: 'Vector',
}

/** One box for words, a text_id or a vector. */
export function SearchForm({ view, hasWords, dimensions, suggest, go }: Props) {
  const [by, choose] = useState<Choice>('any')
  const [typed, type] = useState(textOf(view.sought))
  const [problem, say] = useState('')
  const meant = recognise(typed, hasWords, by)
  const isNew = typed !== textOf(view.sought)
  const suggested = useSuggested(isNew && meant === 'text_id' ? typed : '', suggest)
  useEffect(() => {
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
  const choices: Choice[] = ['any', ...(hasWords ? (['words'] as const) : []), 'text_id', 'vector']
  const kinds = hasWords ? 'words, a text_id or a vector' : 'a text_id or a vector'
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
          placeholder={`Find similar texts: ${kinds}${size}`}
          list="text-ids"
          autocomplete="off"
          spellcheck={false}
          onInput={(event: Event) => type(typedIn(event))}
        />
        <datalist id="text-ids">
          {suggested.map((textId) => (
            <option key={textId} value={textId} />
          ))}
        </datalist>
        <label class="hidden" for="by">
          What it is
        </label>
        <select id="by" value={by} onChange={(event: Event) => choose(choiceOf(event))}>
          {choices.map((each) => (
            <option key={each} value={each} selected={each === by}>
              {names[each]}
            </option>
          ))}
        </select>
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      {problem !== '' && (
        <p class="refusal" role="alert">
          {problem}
        </p>
      )}
    </search>
  )
}

/** Loads suggestions a moment after the last keystroke. */
function useSuggested(typed: string, suggest: Props['suggest']): readonly string[] {
  const [suggested, offer] = useState<readonly string[]>([])
  useEffect(() => {
    if (typed === '') return offer([])
    let isOver = false
    const timer = setTimeout(
      () =>
        suggest(typed).then(
          (found) => isOver || offer(found),
          () => undefined,
        ),
      150,
    )
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [typed])
  return suggested
}

/** @returns an error message, or what to search for */
function soughtFrom(typed: string, by: Sought['by']): Sought | string {
  if (by === 'words') return { by, words: typed.trim() }
  if (by === 'text_id') return { by, textId: typed.trim() }
  const vector = parseVector(typed)
  return vector === undefined
    ? 'A vector is a list of numbers separated by commas or spaces, such as [0.1, -0.2, 0.3].'
    : { by, vector }
}

function textOf(sought: Sought | undefined): string {
  if (sought === undefined) return ''
  if (sought.by === 'text_id') return sought.textId
  return sought.by === 'words' ? sought.words : JSON.stringify(sought.vector)
}

const choiceOf = (event: Event): Choice => {
  const value = typedIn(event)
  return value === 'words' || value === 'text_id' || value === 'vector' ? value : 'any'
}
