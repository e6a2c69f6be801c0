import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { PrefixInput, RangeInputs, whenComplete } from '../controls.tsx'
import { Button, printNumber, RefusalNote, typedIn } from '../elements.tsx'
import { frame } from '../frame.ts'
import { useAnswer, type useFields } from '../loading.ts'
import { percentEncoded } from './requests.ts'
import {
  chosenRange,
  chosenValues,
  type FacetValue,
  firstPage,
  type Navigation,
  toggleValue,
  type View,
  wholeFilter,
  withCondition,
} from './view.ts'

interface AsideProps extends Navigation {
  readonly fields: ReturnType<typeof useFields>
  /** Beside results, where there is room for both. */
  readonly isOpen?: boolean
}

/** Read once: later the user opens and closes the filter, and resizing the window changes nothing. */
const isWide = matchMedia('(min-width: 56rem)').matches

/** Chooses by the beginning of the text_id and by the values of metadata fields. */
export const FilterAside = ({
  fields: { value, refusal },
  isOpen = isWide,
  view,
  go,
}: AsideProps) => (
  <details class="aside" open={isOpen}>
    <summary>Filter</summary>
    <aside aria-label="Filter">
      <PrefixInput prefix={view.prefix} choose={(prefix) => go(firstPage({ ...view, prefix }))} />
      {value !== undefined && <Facets fields={value} {...{ view, go }} />}
      {value === undefined && refusal === undefined && <p class="soft">Counting values…</p>}
      <RefusalNote refusal={refusal} />
    </aside>
  </details>
)

type Fields = Schemas['ProjectFields']
type Field = Fields['fields'][number]

interface Props extends Navigation {
  readonly fields: Fields
}

const fewFields = 6
const fewValues = 6

/** The metadata fields with their most frequent values, which can be chosen as filters. */
function Facets({ fields: { fields, documents, sampled }, view, go }: Props) {
  const [showsAll, showAll] = useState(false)
  const worthwhile = fields.filter((field) => isWorthwhile(field, view))
  const shown = worthwhile.filter(
    (field, index) => showsAll || index < fewFields || isChosen(field, view),
  )
  const kept = useKept(shown, view)
  const others = otherConditions(fields, view)
  return (
    <div class="facets">
      {Object.keys(view.filter).length > 0 && (
        <Button act={() => go(firstPage({ ...view, filter: {} }))}>Clear filters</Button>
      )}
      {sampled && kept === undefined && (
        <p class="soft">Numbers are of a sample of {printNumber(documents)} texts.</p>
      )}
      {others !== '{}' && <code class="condition">{others}</code>}
      {shown.map((field) => (
        <Facet key={field.path} field={inFilter(field, kept, view)} {...{ view, go }} />
      ))}
      {worthwhile.length > shown.length && (
        <Button kind="quiet" act={() => showAll(true)}>
          {worthwhile.length - shown.length} more fields
        </Button>
      )}
      {fields.length === 0 && <p class="soft">The texts have no metadata.</p>}
    </div>
  )
}

const maxCounted = 8

/** The fields of the texts that the filter keeps, with the exact numbers of their values. */
function useKept(fields: readonly Field[], view: View): Fields | undefined {
  const filter = wholeFilter(view)
  const names = fields.slice(0, maxCounted).map(({ path }) => `&field=${percentEncoded(path)}`)
  const given = percentEncoded(JSON.stringify(filter ?? {}))
  const isAsked = filter !== undefined && names.length > 0
  const path = `v1/projects/${frame.name}/fields?filter=${given}${names.join('')}`
  const { value } = useAnswer<Fields>(isAsked ? path : undefined)
  return isAsked ? value : undefined
}

/** A chosen field keeps its other values, which may be chosen as well. */
function inFilter(field: Field, kept: Fields | undefined, view: View): FacetProps['field'] {
  const found = kept?.fields.find(({ path }) => path === field.path)
  if (found === undefined) return field
  if (!isChosen(field, view)) return { ...field, values: found.values }
  const counts = new Map(found.values.map(({ value, count }) => [value, count]))
  return {
    ...field,
    values: field.values.map(({ value }) => ({ value, count: counts.get(value) })),
  }
}

/** A field in which every text has its own value offers no useful choice. */
const isWorthwhile = (field: Field, view: View) =>
  field.values.some(({ count }) => count > 1) || isChosen(field, view)

const isChosen = ({ path }: Field, view: View) =>
  chosenRange(view, path) !== undefined || (chosenValues(view, path)?.length ?? 0) > 0

/** The conditions of the filter that the facets cannot show, as JSON. */
function otherConditions(fields: readonly Field[], view: View): string {
  const known = new Set(fields.map(({ path }) => path))
  const isOther = (path: string) =>
    !known.has(path) || (chosenValues(view, path) ?? chosenRange(view, path)) === undefined
  const others = Object.entries(view.filter).filter(([path]) => isOther(path))
  return JSON.stringify(Object.fromEntries(others))
}

interface FacetProps extends Navigation {
  readonly field: Pick<Field, 'path' | 'more_values'> & {
    readonly values: readonly { readonly value: FacetValue; readonly count: number | undefined }[]
  }
}

function Facet({ field: { path, values, more_values: hasMore }, view, go }: FacetProps) {
  const [showsAll, showAll] = useState(false)
  const range = chosenRange(view, path)
  const chosen = range === undefined ? chosenValues(view, path) : []
  const unlisted = (chosen ?? [])
    .filter((value) => !values.some((each) => each.value === value))
    .map((value) => ({ value, count: undefined }))
  const listed = values.filter(
    ({ value }, index) => showsAll || index < fewValues || chosen?.includes(value),
  )
  const rest = values.length - listed.length
  const isNumeric = values.every(({ value }) => typeof value === 'number')
  return (
    <fieldset disabled={chosen === undefined}>
      <legend>{path}</legend>
      {[...unlisted, ...listed].map(({ value, count }) => (
        <label key={JSON.stringify(value)} class="facet">
          <input
            type="checkbox"
            checked={chosen?.includes(value) === true}
            onChange={() => go(toggleValue(view, path, value))}
          />
          <span class="value">{value === '' ? '(empty)' : String(value)}</span>
          {count !== undefined && <span class="count">{printNumber(count)}</span>}
        </label>
      ))}
      {rest > 0 && (
        <Button kind="quiet" act={() => showAll(true)}>
          {rest} more
        </Button>
      )}
      {hasMore && <OtherValue {...{ path, isNumeric, view, go }} />}
      {(range !== undefined || (hasMore && isNumeric)) && (
        <RangeInputs range={range} choose={(next) => go(withCondition(view, path, next))} />
      )}
    </fieldset>
  )
}

interface OtherProps extends Navigation {
  readonly path: string
  readonly isNumeric: boolean
}

/** Takes a value that is not among those listed, which then appears among them. */
function OtherValue({ path, isNumeric, view, go }: OtherProps) {
  const choose = (event: Event) => {
    const typed = typedIn(event).trim()
    if (event.currentTarget instanceof HTMLInputElement) event.currentTarget.value = ''
    // Beside numbers, a field may have texts.
    const value = isNumeric && Number.isFinite(Number(typed)) ? Number(typed) : typed
    if (typed !== '' && !chosenValues(view, path)?.includes(value))
      go(toggleValue(view, path, value))
  }
  return (
    <input
      type="search"
      autocomplete="off"
      aria-label={`Another value of ${path}`}
      placeholder="another value"
      ref={whenComplete(choose)}
    />
  )
}
