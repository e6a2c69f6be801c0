import { useLayoutEffect } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { AskButton } from './ask.tsx'
import { call } from './call.ts'
import {
  Button,
  ButtonLink,
  Empty,
  Facts,
  Loading,
  Moment,
  Options,
  printNumber,
  RefusalNote,
  typedIn,
} from './elements.tsx'
import { frame } from './frame.ts'
import { isJsonObject } from './json-object.ts'
import { useAnswer, useLoaded, useStep, useUrlState } from './loading.ts'
import { percentEncoded, requestFor } from './project/requests.ts'
import { loadFound, Results } from './project/results.tsx'
import {
  emptyView,
  filterIn,
  firstPage,
  type Navigation,
  printView,
  readView,
  valuesIn,
} from './project/view.ts'
import { type Framed, framed } from './project-frame.tsx'
import { saveAs } from './save.ts'
import { goAndSay } from './toast.ts'

type Stored = Schemas['Embedding']

const answerPath = (textId: string, query = '') =>
  `v1/embeddings/${frame.name}?text_id=${percentEncoded(textId)}${query}`

function OneText(props: Framed) {
  const [view, go] = useUrlState(readView, printView)
  const textId = view.sought?.by === 'text_id' ? view.sought.textId : ''
  const path = answerPath(textId, '&include=text,metadata')
  const { value, refusal } = useAnswer<Stored>(textId === '' ? undefined : path)
  useLayoutEffect(() => {
    if (textId !== '') document.title = `${textId} – ${frame.name} – Semblance`
  }, [textId])
  if (textId === '')
    return (
      <Empty title="Which text?" icon="text">
        <p>The address names no text: it lacks ?text_id=</p>
      </Empty>
    )
  if (refusal !== undefined) {
    const begins = printView({ ...emptyView, prefix: textId })
    return (
      <Empty title={textId} icon="text">
        <RefusalNote refusal={refusal} />
        <p>
          <a href={`../${frame.project}${begins}`}>Texts whose text_id begins like this</a>
        </p>
      </Empty>
    )
  }
  // While another text is loading, the previous one stays.
  if (value?.text_id !== textId) return <Loading />
  return (
    <>
      <TextDetails stored={value} {...props} />
      <Similar key={textId} stored={value} {...{ view, go }} />
    </>
  )
}

export const TextPage = framed(OneText)

function TextDetails({ stored, project, mayWrite }: Framed & { readonly stored: Stored }) {
  const { text_id: textId, text, metadata = {} } = stored
  const path = answerPath(textId)
  const around = useAround(textId)
  const { refusal, run } = useStep()
  const save = () =>
    run(async () => {
      const { data } = await call<Stored>(path)
      saveAs('text', 'json', JSON.stringify(data, null, 2))
    })
  const remove = async () => {
    await call<unknown>(path, { method: 'DELETE' })
    goAndSay(`../${frame.project}`, `Deleted ${textId}`)
  }
  const like = printView({ ...emptyView, sought: { by: 'text_id', textId } })
  const removes = `Delete ${textId}`
  return (
    <article class="one">
      <h2 class="text-id">{textId}</h2>
      <Passages label="Before it" passages={around?.before} />
      {text === undefined ? <p class="soft">No text is stored.</p> : <p class="text">{text}</p>}
      <Passages label="After it" passages={around?.after} />
      <MetadataTable of={metadata} />
      <Facts
        facts={[
          ['Uploaded', <Moment at={stored.created_at} />],
          ['Dimensions', printNumber(stored.vector_dim)],
        ]}
      />
      <div class="buttons">
        <ButtonLink icon="search" href={`../${frame.project}${like}`}>
          Search for texts like this
        </ButtonLink>
        {project.public_read ? (
          <ButtonLink icon="download" href={frame.base + path}>
            As JSON, with its vector
          </ButtonLink>
        ) : (
          // A link would be followed without the key.
          <Button icon="download" act={save}>
            Save as JSON, with its vector
          </Button>
        )}
        {mayWrite && (
          <AskButton words="Delete" icon="trash" kind="danger" action={removes} act={remove}>
            <p>This permanently deletes the text with its vector and metadata.</p>
          </AskButton>
        )}
      </div>
      <RefusalNote refusal={refusal} />
    </article>
  )
}

type Metadata = Readonly<Record<string, unknown>>

/** The values by their paths, such as `ref.book`; lists stay whole. */
const pathsIn = (metadata: Metadata, above = ''): [path: string, value: unknown][] =>
  Object.entries(metadata).flatMap(([key, value]): [string, unknown][] => {
    const isNested = isJsonObject(value) && Object.keys(value).length > 0
    return isNested ? pathsIn(value, `${above}${key}.`) : [[above + key, value]]
  })

const printed = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function MetadataTable({ of }: { readonly of: Metadata }) {
  const values = pathsIn(of)
  if (values.length === 0) return null
  return (
    <table class="table details" aria-label="Metadata">
      <tbody>
        {values.map(([path, value], index) => (
          <tr key={`${index}`}>
            <th scope="row">{path}</th>
            <td>{Array.isArray(value) ? value.map(printed).join(', ') : printed(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type Around = Schemas['AroundAnswer']

/** What stands before and after a text; nothing for one whose path would mean another. */
function useAround(textId: string): Around | undefined {
  const path = `v1/embeddings/${frame.name}/${percentEncoded(textId)}/around?include=text`
  const { value } = useAnswer<Around>(path)
  return value?.text_id === textId ? value : undefined
}

interface PassagesProps {
  readonly label: string
  readonly passages: Around['before'] | undefined
}

/** Texts to read on or back. */
const Passages = ({ label, passages = [] }: PassagesProps) =>
  passages.length === 0 ? null : (
    <nav aria-label={label}>
      {passages.map(({ id: textId, text }) => (
        <p key={textId} class="soft clamped">
          <a href={printView({ ...emptyView, sought: { by: 'text_id', textId } })}>{textId}</a>{' '}
          {text}
        </p>
      ))}
    </nav>
  )

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
  const choose = (event: Event) =>
    go(firstPage({ ...view, filter: filterIn(typedIn(event)) ?? {} }))
  return (
    <>
      <p class="options">
        <span>
          <label for="among">Most similar among</label>
          <select id="among" onChange={choose}>
            <Options of={[...choices]} chosen={current} />
          </select>
        </span>
      </p>
      <Results {...{ found, view, go }} />
    </>
  )
}

const maxShown = 80
const maxChoices = 40
