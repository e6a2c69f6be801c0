import { type MetadataValue, valuesIn } from './metadata-values.ts'
import { emptyView, toggleValue, type View } from './view.ts'
import { ViewLink } from './view-link.tsx'

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
  readonly row: Row
  /** Whether it is what the others are similar to. */
  readonly isSource?: boolean
  readonly view: View
  readonly go: (view: View) => void
}

/** A text with what it is called, how similar it is, and what is known of it. */
export function RowItem({ row, isSource = false, view, go }: Props) {
  const { textId, text, metadata, similarity } = row
  return (
    <li class="row">
      <div class="about">
        <strong class="text-id">{textId}</strong>
        {similarity !== undefined && <Similarity value={similarity} />}
        {!isSource && (
          <ViewLink
            class="more"
            to={likeThis(view, textId)}
            go={go}
            aria-label={`More like this: ${textId}`}
          >
            More like this
          </ViewLink>
        )}
      </div>
      <div class="content">
        {text === undefined ? <p class="soft">No text is stored.</p> : <p class="text">{text}</p>}
        <Metadata metadata={metadata ?? {}} view={view} go={go} />
      </div>
    </li>
  )
}

const likeThis = ({ threshold, groupBy, filter }: View, textId: string): View => ({
  ...emptyView,
  ...{ threshold, groupBy, filter },
  sought: { by: 'text_id', textId },
})

/** More is shown with the rest of the metadata. */
const fewValues = 5

interface MetadataProps {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly view: View
  readonly go: (view: View) => void
}

/** The first values, each of which can be asked for, and the rest as JSON. */
function Metadata({ metadata, view, go }: MetadataProps) {
  const values = valuesIn(metadata)
  const hasMore = values.length > fewValues || JSON.stringify(metadata).length > 300
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
                <ViewLink
                  to={onlyWith(view, path, value)}
                  go={go}
                  title={`Only texts with this ${path}`}
                >
                  {shortened(String(value))}
                </ViewLink>
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
const shortened = (text: string) =>
  [...text].length > maxShown ? `${[...text].slice(0, maxShown).join('')}…` : text

function onlyWith(view: View, path: string, value: NonNullable<MetadataValue['value']>): View {
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
