import { useLayoutEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { whenComplete } from '../controls.tsx'
import { Button, Notice, typedIn } from '../elements.tsx'
import {
  chooseRange,
  chosenRange,
  printRange,
  type Range,
  typedCondition,
} from './typed-condition.ts'
import { chosenValues, firstPage, type Navigation, toggleValue, type View } from './view.ts'

type Fields = Schemas['ProjectFields']
type Field = Fields['fields'][number]

interface Props extends Navigation {
  readonly fields: Fields
}

const fewFields = 6
const fewValues = 6

/** The metadata fields with their most frequent values, which can be chosen as filters. */
export function Facets({ fields, view, go }: Props) {
  const [showsAll, showAll] = useState(false)
  const worthwhile = fields.fields.filter((field) => isWorthwhile(field, view))
  const shown = worthwhile.filter(
    (field, index) => showsAll || index < fewFields || isChosen(field, view),
  )
  const isFiltered = Object.keys(view.filter).length > 0
  return (
    <div class="facets">
      {isFiltered && (
        <Button act={() => go(firstPage({ ...view, filter: {} }))}>Clear filters</Button>
      )}
      {fields.sampled && (
        <p class="soft">
          Numbers are of a sample of {fields.documents.toLocaleString('en-US')} texts.
        </p>
      )}
      <OtherConditions fields={fields} view={view} />
      {shown.map((field) => (
        <Facet key={field.path} field={field} view={view} go={go} />
      ))}
      {worthwhile.length > shown.length && (
        <Button kind="quiet" act={() => showAll(true)}>
          {worthwhile.length - shown.length} more fields
        </Button>
      )}
      {fields.fields.length === 0 && <p class="soft">The texts have no metadata.</p>}
    </div>
  )
}

/** A field in which every text has its own value offers no useful choice. */
const isWorthwhile = (field: Field, view: View) =>
  field.values.some(({ count }) => count > 1) || isChosen(field, view)

const isChosen = ({ path }: Field, view: View) =>
  chosenRange(view, path) !== undefined || (chosenValues(view, path)?.length ?? 0) > 0

/** Shows the conditions of the filter that the facets cannot show. */
function OtherConditions({ fields, view }: Omit<Props, 'go'>) {
  const known = new Set(fields.fields.map(({ path }) => path))
  const others = Object.entries(view.filter).filter(
    ([path]) =>
      !known.has(path) ||
      (chosenValues(view, path) === undefined && chosenRange(view, path) === undefined),
  )
  if (others.length === 0) return null
  return <code class="condition">{JSON.stringify(Object.fromEntries(others))}</code>
}

interface FacetProps extends Navigation {
  readonly field: Field
}

function Facet({ field: { path, values, more_values: hasMore }, view, go }: FacetProps) {
  const [showsAll, showAll] = useState(false)
  const range = chosenRange(view, path)
  const chosen = range === undefined ? chosenValues(view, path) : []
  const unlisted = (chosen ?? [])
    .filter((value) => !values.some((each) => each.value === value))
    .map((value) => ({ value, count: undefined }))
  const shown = [
    ...unlisted,
    ...values.filter(
      ({ value }, index) => showsAll || index < fewValues || chosen?.includes(value),
    ),
  ]
  const rest = values.length + unlisted.length - shown.length
  return (
    <fieldset disabled={chosen === undefined}>
      <legend>{path}</legend>
      {shown.map(({ value, count }) => (
        <label key={JSON.stringify(value)} class="facet">
          <input
            type="checkbox"
            checked={chosen?.includes(value) === true}
            onChange={() => go(toggleValue(view, path, value))}
          />
          <span class="value">{value === '' ? '(empty)' : String(value)}</span>
          {count !== undefined && <span class="count">{count.toLocaleString('en-US')}</span>}
        </label>
      ))}
      {rest > 0 && (
        <Button kind="quiet" act={() => showAll(true)}>
          {rest} more
        </Button>
      )}
      {(hasMore || range !== undefined) && (
        <OtherValue
          path={path}
          range={range}
          isNumeric={range !== undefined || values.every(({ value }) => typeof value === 'number')}
          view={view}
          go={go}
        />
      )}
    </fieldset>
  )
}

interface OtherProps extends Navigation {
  readonly path: string
  readonly range: Range | undefined
  readonly isNumeric: boolean
}

/**
 * Takes a value that is not among those listed, or a range of numbers, which takes the place of
 * values.
 */
function OtherValue({ path, range, isNumeric, view, go }: OtherProps) {
  const [problem, complain] = useState('')
  const { filter } = view
  useLayoutEffect(() => complain(''), [JSON.stringify(filter)])
  const choose = (event: Event) => {
    const typed = typedCondition(typedIn(event).trim(), isNumeric)
    complain('')
    if (typed === undefined) {
      if (range !== undefined) go(chooseRange(view, path, undefined))
    } else if ('problem' in typed) complain(typed.problem)
    else if ('range' in typed) go(chooseRange(view, path, typed.range))
    else {
      // The value appears among the others.
      if (event.currentTarget instanceof HTMLInputElement) event.currentTarget.value = ''
      if (!chosenValues(view, path)?.includes(typed.value)) go(toggleValue(view, path, typed.value))
    }
  }
  return (
    <>
      <input
        type="search"
        autocomplete="off"
        aria-label={`Another value of ${path}`}
        aria-invalid={problem === '' ? undefined : 'true'}
        placeholder={isNumeric ? 'a number, or 3..9' : 'another value'}
        value={printRange(range)}
        ref={whenComplete(choose)}
      />
      {problem !== '' && <Notice kind="error">{problem}</Notice>}
    </>
  )
}
