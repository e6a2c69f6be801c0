import type { Schemas } from '../../clients/typescript/src/client.ts'
import { type Answered, call } from '../call.ts'
import { CopyButton } from '../copy.tsx'
import { Button, counted, Empty, RefusalNote } from '../elements.tsx'
import { frame, serverUrl, storedKey } from '../frame.ts'
import { type Loaded, useAnswer } from '../loading.ts'
import {
  curlOf,
  hasWords,
  percentEncoded,
  requestFor,
  type ShownRequest,
  textsPerPage,
} from './requests.ts'
import { type Row, RowItem, Rows } from './rows.tsx'
import { firstPage, type Navigation, printView, type View } from './view.ts'

export function Results({ found, view, go }: Navigation & { readonly found: Loaded<FoundTexts> }) {
  const { value, refusal, isLoading } = found
  const next = value?.hasMore ? pageAfter(view, value.rows) : undefined
  const isAtStart = view.offset === 0 && view.after === ''
  return (
    <section aria-busy={isLoading ? 'true' : 'false'} aria-label="Texts">
      <div class="status">
        <h2 aria-live="polite">
          {value === undefined
            ? isLoading
              ? 'Loading…'
              : 'That did not work'
            : summaryOf(value, view)}
        </h2>
        {value?.hidden ? <Hidden count={value.hidden} {...{ view, go }} /> : null}
        <Code request={requestFor(view, frame.name)} />
      </div>
      {value?.note !== undefined && <p class="soft">{value.note}</p>}
      <RefusalNote refusal={refusal} />
      {refusal !== undefined && view.sought?.by === 'both' && (
        <a href={printView({ ...view, sought: { ...view.sought, by: 'words' } })}>
          Find the words alone
        </a>
      )}
      {value !== undefined && <Rows rows={value.rows} view={view} />}
      {value?.rows.length === 0 && isAtStart && <NothingFound {...{ view, go }} />}
      <nav class="pages" aria-label="Pages">
        {!isAtStart && <a href={printView(firstPage(view))}>First page</a>}
        {next !== undefined && <a href={printView(next)}>Next page</a>}
      </nav>
    </section>
  )
}

function summaryOf({ rows, total, mode }: FoundTexts, view: View): string {
  if (total !== undefined) return counted(total)
  const byWords = view.sought !== undefined && hasWords(view.sought)
  if (rows.length === 0) return byWords ? 'No texts found' : 'No similar texts'
  const place = view.offset === 0 ? '' : ` from place ${view.offset + 1}`
  const approximate = mode === 'approximate' ? ', found by an index' : ''
  if (byWords) return `Top ${rows.length}${place}${approximate}`
  return `${counted(rows.length)}, by similarity${place}${approximate}`
}

function NothingFound({ view, go }: Navigation) {
  const { sought, filter, prefix, threshold } = view
  const isFiltered = Object.keys(filter).length > 0 || prefix !== ''
  return (
    <Empty title="Nothing matches" icon="search">
      {sought !== undefined && hasWords(sought) && (
        <p>Try other words, or fewer. bless* finds all words that begin so.</p>
      )}
      {sought !== undefined && !hasWords(sought) && threshold > 0 && (
        <p>Lower the similarity to see more.</p>
      )}
      {isFiltered && (
        <Button act={() => go(firstPage({ ...view, filter: {}, prefix: '' }))}>
          Search without the filter
        </Button>
      )}
    </Empty>
  )
}

function Hidden({ count, view, go }: Navigation & { readonly count: number }) {
  const all = view.groupBy === '' ? 'nearest' : 'nearest groups'
  return (
    <p>
      The threshold hides {count} of the {textsPerPage} {all}
      {view.offset > 0 ? ' of this page' : ''}.{' '}
      <Button kind="quiet" act={() => go(firstPage({ ...view, threshold: 0 }))}>
        Show them
      </Button>
    </p>
  )
}

function pageAfter(view: View, rows: readonly Row[]): View | undefined {
  if (view.sought !== undefined) return { ...view, offset: view.offset + textsPerPage }
  const last = rows.at(-1)
  return last === undefined ? undefined : { ...view, after: last.textId }
}

/** The source texts of a search by text_id, above the results. */
export function SourceTexts({ view }: { readonly view: View }) {
  const { sought } = view
  if (sought?.by !== 'text_id') return null
  const { textId, like = [], unlike = [] } = sought
  const list = (title: string, textIds: readonly string[]) =>
    textIds.length > 0 && (
      <div class="source">
        <h2>{title}</h2>
        <ol class="rows">
          {textIds.map((each) => (
            <SourceText key={each} textId={each} view={view} />
          ))}
        </ol>
      </div>
    )
  return (
    <>
      {list('Similar to', [textId, ...like])}
      {list('Not like', unlike)}
    </>
  )
}

function SourceText({ textId, view }: { readonly textId: string; readonly view: View }) {
  const query = `text_id=${percentEncoded(textId)}&include=text,metadata`
  const { value } = useAnswer<Listed>(`v1/embeddings/${frame.name}?${query}`, textId)
  return value === undefined ? null : <RowItem row={rowOf(value)} isSource view={view} />
}

function Code({ request }: { readonly request: ShownRequest }) {
  const takesKey = storedKey() !== undefined
  const text = curlOf(request, serverUrl(), takesKey)
  return (
    <details class="code">
      <summary>Copy as curl</summary>
      {takesKey && (
        <p class="soft">
          With your key in the environment, as <code>SEMBLANCE_KEY</code>
        </p>
      )}
      <CopyButton text={text} field="#source" />
      <textarea
        id="source"
        readonly
        spellcheck={false}
        rows={5}
        aria-label="Command"
        value={text}
      />
    </details>
  )
}

type List = Schemas['EmbeddingList']
type Listed = Schemas['Embedding']
type Similar = Schemas['SimilarityResponse']

/** The rows of an answer, with what its headers say. */
interface FoundTexts {
  readonly rows: readonly Row[]
  /** In a list: the number of texts on all pages. */
  readonly total?: number
  readonly hasMore: boolean
  readonly hidden?: number
  readonly mode?: string | undefined
  readonly note?: string | undefined
}

export async function loadFound(request: ShownRequest, signal: AbortSignal): Promise<FoundTexts> {
  const { path, body } = request
  if (body === undefined) return foundInList(await call<List>(path, { signal }))
  return foundBySearch(await call<Similar>(path, { body, signal }))
}

const foundInList = ({ data, headers }: Answered<List>): FoundTexts => ({
  rows: data.embeddings.map(rowOf),
  total: data.total_count,
  hasMore: headers.has('Link'),
})

const rowOf = ({ text_id: textId, ...stored }: Listed): Row => ({ textId, ...stored })

function foundBySearch({ data, headers }: Answered<Similar>): FoundTexts {
  const rows: Row[] = data.results.map(({ id, ...result }) => ({ textId: id, ...result }))
  const places = new Set(rows.map(({ textId, group }) => JSON.stringify(group) ?? textId))
  return {
    rows,
    hasMore: places.size === textsPerPage,
    hidden: Number(headers.get('X-Search-Hidden')),
    mode: headers.get('X-Search-Mode') ?? undefined,
    note: headers.get('X-Search-Note') ?? undefined,
  }
}
