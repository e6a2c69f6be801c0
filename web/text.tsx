import { useEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { asRefusal, call, type RefusedCall } from './call.ts'
import { Button, Facts, Moment, RefusalNote, saveAs, typedIn } from './elements.tsx'
import { frame } from './frame.ts'
import { useAnswer, useLoaded, useUrlState } from './loading.ts'
import { percentEncoded, requestFor } from './project/requests.ts'
import { loadFound, Results } from './project/results.tsx'
import {
  emptyView,
  firstPage,
  type Navigation,
  printView,
  readView,
  valuesIn,
} from './project/view.ts'
import { linkedHeading, ProjectFrame } from './project-frame.tsx'

export const TextPage = () => (
  <ProjectFrame
    heading={linkedHeading('Text of')}
    show={(project, caller) =>
      project !== undefined && <OneText key={caller} isPublic={project.public_read} />
    }
  />
)

type Stored = Schemas['Embedding']

const answerPath = (textId: string, query = '') =>
  `v1/embeddings/${frame.name}?text_id=${percentEncoded(textId)}${query}`

function OneText({ isPublic }: { readonly isPublic: boolean }) {
  const [view, go] = useUrlState(readView, printView)
  const textId = view.sought?.by === 'text_id' ? view.sought.textId : ''
  const path = textId === '' ? undefined : answerPath(textId, '&include=text,metadata')
  const { value, refusal } = useAnswer<Stored>(path)
  useEffect(() => {
    if (textId !== '') document.title = `${textId} – ${frame.name} – Semblance`
  }, [textId])
  if (textId === '') return <p>The address names no text: it lacks ?text_id=</p>
  if (refusal !== undefined) {
    const begins = printView({ ...emptyView, prefix: textId })
    return (
      <section class="panel">
        <h2 class="text-id">{textId}</h2>
        <RefusalNote refusal={refusal} />
        <p>
          <a href={`../${frame.project}${begins}`}>Texts whose text_id begins like this</a>
        </p>
      </section>
    )
  }
  // While another text is loading, the previous one stays.
  if (value?.text_id !== textId) return <p class="soft">Loading…</p>
  return (
    <>
      <TextDetails stored={value} isPublic={isPublic} />
      <Similar key={textId} stored={value} view={view} go={go} />
    </>
  )
}

function TextDetails({
  stored,
  isPublic,
}: {
  readonly stored: Stored
  readonly isPublic: boolean
}) {
  const { text_id: textId, text, metadata } = stored
  const path = answerPath(textId)
  const [refusal, refuse] = useState<RefusedCall | undefined>(undefined)
  const save = () =>
    call<Stored>(path).then(
      ({ data }) => saveAs('text', 'json', JSON.stringify(data, null, 2)),
      (error: unknown) => refuse(asRefusal(error)),
    )
  return (
    <article class="one">
      <h2 class="text-id">{textId}</h2>
      {text === undefined ? <p class="soft">No text is stored.</p> : <p class="text">{text}</p>}
      {metadata !== undefined && <pre>{JSON.stringify(metadata, null, 2)}</pre>}
      <Facts
        facts={[
          ['Uploaded', <Moment at={stored.created_at} />],
          ['Dimensions', stored.vector_dim.toLocaleString('en-US')],
        ]}
      />
      <p class="links">
        {isPublic ? (
          <a href={frame.base + path}>As JSON, with its vector</a>
        ) : (
          // A link would be followed without the key.
          <Button kind="quiet" act={() => void save()}>
            Save as JSON, with its vector
          </Button>
        )}
        <a
          href={`../${frame.project}${printView({ ...emptyView, sought: { by: 'text_id', textId } })}`}
        >
          Search the project for texts like this
        </a>
      </p>
      <RefusalNote refusal={refusal} />
    </article>
  )
}

/** The most similar texts, of those that a filter chosen from the text's own values leaves. */
function Similar({ stored, view, go }: Navigation & { readonly stored: Stored }) {
  const request = requestFor(view, frame.name)
  const found = useLoaded(JSON.stringify(request), (signal) => loadFound(request, signal))
  const current = Object.keys(view.filter).length === 0 ? '' : JSON.stringify(view.filter)
  const choices = new Map([
    ['', 'all texts'],
    [current, current || 'all texts'],
  ])
  for (const { path, value } of valuesIn(stored.metadata)) {
    const words = `${path} ${JSON.stringify(value)}`
    if (words.length > maxShown || choices.size > maxChoices) continue
    choices.set(JSON.stringify({ [path]: value }), `texts with ${words}`)
    choices.set(JSON.stringify({ [path]: { $ne: value } }), `texts without ${words}`)
  }
  const choose = (event: Event) => {
    const { filter } = readView({
      search: `?${new URLSearchParams({ filter: typedIn(event) })}`,
      hash: '',
    })
    go(firstPage({ ...view, filter }))
  }
  return (
    <>
      <p class="options">
        <span>
          <label for="among">Most similar among</label>
          <select id="among" onChange={choose}>
            {[...choices].map(([filter, words]) => (
              <option key={filter} value={filter} selected={filter === current}>
                {words}
              </option>
            ))}
          </select>
        </span>
      </p>
      <Results found={found} view={view} go={go} />
    </>
  )
}

const maxShown = 80
const maxChoices = 40
