import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { counted } from '../counted.ts'
import { type Loaded, useLoaded } from '../use-loaded.ts'
import { Code } from './code.tsx'
import { type FoundTexts, rowOf } from './found-texts.ts'
import { percentEncoded, requestFor, textsPerPage } from './requests.ts'
import { type Row, RowItem } from './row.tsx'
import { Rows } from './rows.tsx'
import { firstPage, type View } from './view.ts'
import { ViewLink } from './view-link.tsx'

type Listed = Schemas['Embedding']

interface Props {
  /** `owner/handle` */
  readonly name: string
  readonly found: Loaded<FoundTexts>
  readonly view: View
  readonly go: (view: View) => void
}

export function Results({ name, found: { value, refusal, isLoading }, view, go }: Props) {
  const next = value?.hasMore ? pageAfter(view, value.rows) : undefined
  const isAtStart = view.offset === 0 && view.after === ''
  return (
    <section aria-busy={isLoading ? 'true' : 'false'} aria-label="Texts">
      {view.sought?.by === 'text_id' && (
        <Source name={name} textId={view.sought.textId} view={view} go={go} />
      )}
      <div class="status">
        <h2 aria-live="polite">
          {value === undefined ? (isLoading ? 'Loading…' : '') : summaryOf(value, view)}
        </h2>
        {value !== undefined && <Hidden found={value} view={view} go={go} />}
        <Code request={requestFor(view, name)} />
      </div>
      {value?.note !== undefined && <p class="soft">{value.note}</p>}
      {refusal !== undefined && (
        <p class="refusal" role="alert">
          {refusal.message}
        </p>
      )}
      {value !== undefined && <Rows rows={value.rows} view={view} go={go} />}
      <nav class="pages" aria-label="Pages">
        {!isAtStart && (
          <ViewLink to={firstPage(view)} go={go}>
            First page
          </ViewLink>
        )}
        {next !== undefined && (
          <ViewLink to={next} go={go}>
            Next page
          </ViewLink>
        )}
      </nav>
    </section>
  )
}

function summaryOf({ rows, total, mode }: FoundTexts, view: View): string {
  if (total !== undefined) return counted(total)
  if (rows.length === 0) return 'No similar texts'
  const place = view.offset === 0 ? '' : ` from place ${view.offset + 1}`
  const approximate = mode === 'approximate' ? ', found by an index' : ''
  return `${counted(rows.length)} by similarity${place}${approximate}`
}

/** Says how many results the threshold hides. */
function Hidden({
  found: { hidden = 0 },
  view,
  go,
}: Pick<Props, 'view' | 'go'> & { found: FoundTexts }) {
  if (view.sought === undefined || hidden === 0) return null
  const all = view.groupBy === '' ? 'nearest' : 'nearest groups'
  return (
    <p>
      The threshold hides {hidden} of the {textsPerPage} {all}
      {view.offset > 0 ? ' of this page' : ''}.{' '}
      <button type="button" class="quiet" onClick={() => go(firstPage({ ...view, threshold: 0 }))}>
        Show them
      </button>
    </p>
  )
}

function pageAfter(view: View, rows: readonly Row[]): View | undefined {
  if (view.sought !== undefined) return { ...view, offset: view.offset + textsPerPage }
  const last = rows.at(-1)
  return last === undefined ? undefined : { ...view, after: last.textId }
}

type SourceProps = Pick<Props, 'name' | 'view' | 'go'> & { readonly textId: string }

/** The source text of a search by text_id, above the results. */
function Source({ name, textId, view, go }: SourceProps) {
  const query = `text_id=${percentEncoded(textId)}&include=text,metadata`
  const { value } = useLoaded(textId, (signal) =>
    call<Listed>(`v1/embeddings/${name}?${query}`, { signal }).then(({ data }) => rowOf(data)),
  )
  if (value === undefined) return null
  return (
    <div class="source">
      <h2>Similar to</h2>
      <ol class="rows">
        <RowItem row={value} isSource view={view} go={go} />
      </ol>
    </div>
  )
}
