import { useLayoutEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { Button, Notice, Options, typedIn } from '../elements.tsx'
import { frame } from '../frame.ts'
import { pause, useLoaded } from '../loading.ts'
import { percentEncoded } from './requests.ts'
import { parseVector } from './vector-text.ts'
import { byWords, firstPage, type Navigation, recognise, type Sought, type View } from './view.ts'

export interface Asker {
  /** Undefined while it is loading. */
  readonly project: Schemas['Project'] | undefined
  /** Whether the caller owns the project, or has a share of it. */
  readonly isMember: boolean
}

/** @returns why words are not searched for by meaning; undefined if they are */
function whyNoMeaning({ project, isMember }: Asker): string | undefined {
  if (project?.embeds_texts === false) return 'no provider'
  if (project?.text_queries === 'off') return 'switched off'
  return project?.text_queries === 'everybody' || isMember ? undefined : 'for members'
}

const names = {
  any: 'Automatic',
  words: 'Words',
  meaning: 'Meaning',
  both: 'Words and meaning',
  text_id: 'text_id',
  vector: 'Vector',
} as const satisfies Record<'any' | Sought['by'], string>
const choices = ['any', ...byWords, 'text_id', 'vector'] as const

export function SearchForm({ view, go, ...asker }: Navigation & Asker) {
  const [by, choose] = useState<keyof typeof names>('any')
  const [typed, type] = useState(textOf(view.sought))
  const [problem, say] = useState('')
  const noMeaning = whyNoMeaning(asker)
  const meant = recognise(typed, by, noMeaning === undefined)
  const isBegun = meant === 'text_id' && typed !== '' && typed !== textOf(view.sought)
  const suggested = useLoaded(isBegun ? typed : undefined, textIdsWith)
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
  const off = noMeaning === undefined ? [] : ['meaning', 'both']
  const worded = choices.map((each) => {
    const why = off.includes(each) ? ` (${noMeaning})` : ''
    return [each, names[each] + why] as const
  })
  const choice = (event: Event) => choose(choices.find((each) => each === typedIn(event)) ?? 'any')
  const kinds = 'words, a text_id or a vector'
  const size = asker.project?.dimensions && ` of ${asker.project.dimensions} numbers`
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
          placeholder={`Find texts: ${kinds}${size ?? ''}`}
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
          <Options of={worded} chosen={by} off={off} />
        </select>
        <Button kind="primary">Search</Button>
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

const wordsToEmbed = ({ sought }: View) =>
  sought?.by === 'meaning' || sought?.by === 'both' ? sought.words : ''

/**
 * Anyone can craft a link, and asking the provider for the meaning of words costs the owner money.
 * So words from the URL are not sent there before the user has confirmed them.
 */
export function useConfirmedWords(view: View) {
  const [confirmed, set] = useState<readonly string[]>([''])
  const words = wordsToEmbed(view)
  const confirm = (next: View) => set((before) => [...before, wordsToEmbed(next)])
  if (confirmed.includes(words)) return { confirm, question: undefined }
  const question = (
    <section class="panel" aria-label="Search by meaning">
      <h2>Search for these words?</h2>
      <p class="clamped">{words}</p>
      <p>
        This search sends the words to the project's embedding provider. It counts towards the
        project's budget and may cost its owner money. Nothing has been sent yet.
      </p>
      <div class="buttons">
        <Button kind="primary" act={() => confirm(view)}>
          Search for the words
        </Button>
      </div>
    </section>
  )
  return { confirm, question }
}
