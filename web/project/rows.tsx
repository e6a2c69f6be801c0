import type { Schemas } from '../../clients/typescript/src/client.ts'
import { Similarity, shortened } from '../elements.tsx'
import { TextLink } from '../links.tsx'
import { countScalars, printView, type View, valuesIn, withCondition, withExample } from './view.ts'

interface Props {
  readonly rows: readonly Row[]
  readonly view: View
}

export function Rows({ rows, view }: Props) {
  // While a grouped answer is loading, the previous rows have no groups.
  if (view.groupBy === '' || rows.some(({ group }) => group === undefined)) {
    return <RowList {...{ rows, view }} />
  }
  const groups = Map.groupBy(rows, ({ group }) => (group === null ? '' : groupName(group)))
  return (
    <>
      {[...groups].map(([name, of]) => (
        <section key={name} class="group">
          <h3>{name === '' ? <em>without {view.groupBy}</em> : name}</h3>
          <RowList rows={of} view={view} />
        </section>
      ))}
    </>
  )
}

const groupName = (group: unknown) => (typeof group === 'string' ? group : JSON.stringify(group))

const RowList = ({ rows, view }: Props) => (
  <ol class="rows">
    {rows.map((row) => (
      <RowItem key={row.textId} {...{ row, view }} />
    ))}
  </ol>
)

/** A text in a list or in search results. */
export interface Row extends Omit<Schemas['SearchResult'], 'id'> {
  readonly textId: string
}

interface RowProps {
  readonly row: Row
  readonly view: View
  /** Whether this is the source text that the others are compared with. */
  readonly isSource?: boolean
}

export function RowItem({ row, isSource = false, view }: RowProps) {
  const { textId, text, similarity } = row
  return (
    <li class="row">
      <div class="about">
        <TextLink textId={textId} />
        {similarity !== undefined && <Similarity value={similarity} percentile={row.percentile} />}
      </div>
      <div class="content">
        {text === undefined ? (
          <p class="soft">No text is stored.</p>
        ) : (
          <p class="text">
            <Marked {...row} />
          </p>
        )}
        <div class="below">
          <Metadata {...row} view={view} />
          <span class="likes">
            {examplesOf(row, isSource, view).map(([words, as]) => (
              <a
                key={words}
                class="more"
                href={printView(withExample(view, textId, as))}
                aria-label={`${words}: ${textId}`}
              >
                {words}
              </a>
            ))}
          </span>
        </div>
      </div>
    </li>
  )
}

export function Marked({ text = '', highlights = [] }: Pick<Row, 'text' | 'highlights'>) {
  if (highlights.length === 0) return <>{text}</>
  const characters = Array.from(text)
  const between = (start: number, end?: number) => characters.slice(start, end).join('')
  return (
    <>
      {highlights.flatMap(({ start, end }, at) => [
        between(highlights[at - 1]?.end ?? 0, start),
        <mark key={start}>{between(start, end)}</mark>,
      ])}
      {between(highlights.at(-1)?.end ?? 0)}
    </>
  )
}

/** What a text may become of a search, in words: what is searched for beside others may be left out. */
function examplesOf({ textId }: Row, isSource: boolean, { sought }: View) {
  const isAdded = sought?.by === 'text_id' && sought.textId !== textId
  if (isSource) return isAdded ? ([['Leave out', undefined]] as const) : []
  const more = ['More like this', 'like'] as const
  return isAdded ? ([more, ['Less like this', 'unlike']] as const) : [more]
}

/** The remaining values are in the full JSON. */
const fewValues = 5

/** Shows the first values as links that filter by them, and all metadata as JSON. */
function Metadata({ metadata = {}, view }: Pick<Row, 'metadata'> & Pick<Props, 'view'>) {
  const values = valuesIn(metadata)
  const hasMore =
    countScalars(metadata) > Math.min(values.length, fewValues) ||
    JSON.stringify(metadata).length > 300
  return (
    <>
      {values.length > 0 && (
        <ul class="values" aria-label="Metadata">
          {values.slice(0, fewValues).map(({ path, value }, index) => (
            <li key={`${index} ${path}`}>
              <span class="soft">{path}</span>{' '}
              {value === null ? (
                'null'
              ) : (
                <a
                  href={printView(withCondition(view, path, value))}
                  title={`Only texts with this ${path}`}
                >
                  {shortened(String(value), maxShown)}
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <details>
          <summary>All metadata</summary>
          <pre>{JSON.stringify(metadata, null, 2)}</pre>
        </details>
      )}
    </>
  )
}

const maxShown = 80
