import { valuesIn } from './metadata-values.ts'
import { emptyView, firstPage, printView, toggleValue, type View } from './view.ts'

/** A text as lists and searches have it. */
export interface Row {
  readonly textId: string
  readonly text: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  /** Of a search. */
  readonly similarity?: number
  /** Of a search by groups. */
  readonly group?: unknown
}

interface Props {
  readonly rows: readonly Row[]
  readonly view: View
  readonly go: (view: View) => void
}

/** What was found or listed, below the values of their groups where there are groups. */
export function Rows({ rows, view, go }: Props) {
  if (view.sought === undefined || view.groupBy === '') {
    return <RowList rows={rows} view={view} go={go} />
  }
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const name = row.group === null ? '' : groupName(row.group)
    groups.set(name, [...(groups.get(name) ?? []), row])
  }
  return (
    <>
      {[...groups].map(([name, of]) => (
        <section key={name} class="group">
          <h3>{name === '' ? <em>without {view.groupBy}</em> : name}</h3>
          <RowList rows={of} view={view} go={go} />
        </section>
      ))}
    </>
  )
}

const groupName = (group: unknown) => (typeof group === 'string' ? group : JSON.stringify(group))

const RowList = ({ rows, view, go }: Props) => (
  <ol class="rows">
    {rows.map((row) => (
      <RowItem key={row.textId} row={row} view={view} go={go} />
    ))}
  </ol>
)

/** More is shown with the rest of the metadata. */
const fewValues = 5

interface RowProps {
  readonly row: Row
  /** Whether it is what the others are similar to. */
  readonly isSource?: boolean
  readonly view: View
  readonly go: (view: View) => void
}

export function RowItem({ row, isSource = false, view, go }: RowProps) {
  const { textId, text, metadata, similarity } = row
  const like: View = {
    ...emptyView,
    ...{ threshold: view.threshold, groupBy: view.groupBy, filter: view.filter },
    sought: { by: 'text_id', textId },
  }
  const values = valuesIn(metadata ?? {})
  return (
    <li class="row">
      <div class="about">
        <strong class="text-id">{textId}</strong>
        {similarity !== undefined && <Similarity value={similarity} />}
        {!isSource && (
          <a
            class="more"
            href={printView(like)}
            aria-label={`More like this: ${textId}`}
            onClick={(event: MouseEvent) => follow(event, () => go(like))}
          >
            More like this
          </a>
        )}
      </div>
      <div class="content">
        {text === undefined ? <p class="soft">No text is stored.</p> : <p class="text">{text}</p>}
        {values.length > 0 && (
          <ul class="values" aria-label="Metadata">
            {values.slice(0, fewValues).map(({ path, value }, index) => (
              <li key={`${index} ${path}`}>
                <span class="soft">{path}</span>{' '}
                {value === null ? (
                  'null'
                ) : (
                  <a
                    href={printView(onlyWith(view, path, value))}
                    title={`Only texts with this ${path}`}
                    onClick={(event: MouseEvent) =>
                      follow(event, () => go(onlyWith(view, path, value)))
                    }
                  >
                    {shortened(String(value))}
                  </a>
                )}
              </li>
            ))}
          </ul>
        )}
        {hasMore(values.length, metadata) && (
          <details>
            <summary>All metadata</summary>
            <pre>{JSON.stringify(metadata, null, 2)}</pre>
          </details>
        )}
      </div>
    </li>
  )
}

const hasMore = (count: number, metadata: Row['metadata']) =>
  count > fewValues || JSON.stringify(metadata ?? {}).length > 300

const maxShown = 80
const shortened = (text: string) =>
  [...text].length > maxShown ? `${[...text].slice(0, maxShown).join('')}…` : text

function onlyWith(view: View, path: string, value: string | number | boolean): View {
  const { [path]: _, ...filter } = view.filter
  return toggleValue({ ...view, filter }, path, value)
}

/** A bar, and the number beside it. */
const Similarity = ({ value }: { readonly value: number }) => (
  <span class="similarity">
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="6" />
      <rect class="bar" width={String(100 * value)} height="6" />
    </svg>
    <span>
      <span class="hidden">similarity </span>
      {value.toFixed(3)}
    </span>
  </span>
)

/** Within the page, but where somebody opens the link elsewhere. */
export function follow(event: MouseEvent, go: () => void): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  go()
  scrollTo({ top: 0 })
}

export const pageAfter = (view: View, rows: readonly Row[], size: number): View | undefined => {
  if (view.sought !== undefined) return { ...view, offset: view.offset + size }
  const last = rows.at(-1)
  return last === undefined ? undefined : { ...view, after: last.textId }
}

export const isFirstPage = (view: View) => printView(view) === printView(firstPage(view))
