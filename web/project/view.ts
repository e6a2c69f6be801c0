import { pathOf, printPath } from '../../src/filters/metadata-path.ts'
import { isJsonObject } from '../json-object.ts'
import { packVector, parseVector, unpackVector } from './vector-text.ts'

export type FacetValue = string | number | boolean

/** By the words themselves, by what they mean to the project's embedding provider, or by both. */
export const byWords = ['words', 'meaning', 'both'] as const
type ByWords = (typeof byWords)[number]

/** Other texts that results are to be like, and unlike. */
interface Examples {
  readonly like: readonly string[]
  readonly unlike: readonly string[]
}

export type Sought =
  | ({ readonly by: 'text_id'; readonly textId: string } & Partial<Examples>)
  | { readonly by: ByWords; readonly words: string }
  | { readonly by: 'vector'; readonly vector: readonly number[] }

/** The state of a project's page, as its URL stores it. */
export interface View {
  /** Undefined when the page lists texts. */
  readonly sought: Sought | undefined
  /** The filter in the API's form, from chosen facets or from a link. */
  readonly filter: Readonly<Record<string, unknown>>
  /** The prefix of all text_ids; '' matches any. */
  readonly prefix: string
  readonly threshold: number
  readonly groupBy: string
  /** In a search: the number of results, or groups, before this page. */
  readonly offset: number
  /** In a list: the last text_id of the previous page. */
  readonly after: string
}

/** What a part of the page shows, and how it shows something else. */
export interface Navigation {
  readonly view: View
  readonly go: (view: View) => void
}

export const emptyView: View = {
  sought: undefined,
  filter: {},
  prefix: '',
  // With the API's own, a short question may find nothing.
  threshold: 0,
  groupBy: '',
  offset: 0,
  after: '',
}

/** Ignores parameters that cannot be read; of a filter, the page says so. */
export function readView({ search, hash }: { search: string; hash: string }): View {
  const query = new URLSearchParams(search)
  const text = (name: string) => query.get(name) ?? ''
  const offset = Number(text('offset'))
  const threshold = Number(text('threshold'))
  return {
    sought: readSought(query, hash),
    filter: filterIn(text('filter')) ?? {},
    prefix: text('prefix'),
    threshold: threshold >= 0 && threshold <= 1 ? threshold : 0,
    groupBy: text('group_by'),
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    after: text('after'),
  }
}

function readSought(query: URLSearchParams, hash: string): Sought | undefined {
  const textId = query.get('text_id') ?? ''
  if (textId !== '') {
    const [like, unlike] = [query.getAll('like'), query.getAll('unlike')]
    return { by: 'text_id', textId, ...(like[0] && { like }), ...(unlike[0] && { unlike }) }
  }
  for (const by of byWords) {
    const words = query.get(by) ?? ''
    if (words !== '') return { by, words }
  }
  const vector = unpackVector(/^#vector=(.*)$/.exec(hash)?.[1] ?? '')
  return vector === undefined ? undefined : { by: 'vector', vector }
}

/** @returns undefined for what is no filter */
export function filterIn(text: string): View['filter'] | undefined {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The inverse of `readView`. A vector goes behind the `#`, which browsers do not send: servers and
 * proxies reject URLs of that length.
 */
export function printView(view: View): string {
  const { sought, filter, prefix, threshold, groupBy, offset, after } = view
  const query = new URLSearchParams()
  const set = (name: string, value: string) => value !== '' && query.set(name, value)
  if (sought?.by === 'text_id') {
    set('text_id', sought.textId)
    for (const as of ['like', 'unlike'] as const) {
      for (const textId of sought[as] ?? []) query.append(as, textId)
    }
  }
  if (sought !== undefined && 'words' in sought) set(sought.by, sought.words)
  set('prefix', prefix)
  if (Object.keys(filter).length > 0) set('filter', JSON.stringify(filter))
  if (sought === undefined) set('after', after)
  else {
    if (threshold > 0) set('threshold', String(threshold))
    set('group_by', groupBy)
    if (offset > 0) set('offset', String(offset))
  }
  const hash = sought?.by === 'vector' ? `#vector=${packVector(sought.vector)}` : ''
  return `?${query}${hash}`
}

/**
 * With a text that results are to be like, or unlike, or without it. Where no text was searched for,
 * this one is. What is like some and unlike others has low similarities, which no threshold fits.
 */
export function withExample(view: View, textId: string, as?: keyof Examples): View {
  const { sought, threshold, groupBy, filter } = view
  if (sought?.by !== 'text_id') {
    return { ...emptyView, threshold, groupBy, filter, sought: { by: 'text_id', textId } }
  }
  const others = (ids: readonly string[] = []) => ids.filter((id) => id !== textId)
  const left = { like: others(sought.like), unlike: others(sought.unlike) }
  const added = as === undefined ? {} : { [as]: [...left[as], textId] }
  const least = as === 'unlike' ? 0 : threshold
  return firstPage({ ...view, threshold: least, sought: { ...sought, ...left, ...added } })
}

/** A field may have the name of an inherited property, such as `constructor`. */
const conditionOn = ({ filter }: View, path: string) =>
  Object.hasOwn(filter, path) ? filter[path] : undefined

/** With another condition on a field, or without one, on the first page. */
export function withCondition<Shown extends View>(
  view: Shown,
  path: string,
  condition: unknown,
): Shown {
  const { [path]: _, ...others } = view.filter
  const filter = condition === undefined ? others : { ...others, [path]: condition }
  return firstPage({ ...view, filter })
}

/** The chosen values of a field; undefined if the filter has another kind of condition on it. */
export function chosenValues(view: View, path: string): readonly FacetValue[] | undefined {
  const condition = conditionOn(view, path)
  if (condition === undefined) return []
  if (isScalar(condition)) return [condition]
  const values = isJsonObject(condition) ? condition['$in'] : undefined
  return Array.isArray(values) && values.every(isScalar) ? values : undefined
}

/** Chooses a value of a field, or clears it if it was chosen, and returns to the first page. */
export function toggleValue<Shown extends View>(
  view: Shown,
  path: string,
  value: FacetValue,
): Shown {
  const before = chosenValues(view, path) ?? []
  const without = before.filter((each) => each !== value)
  const values = before.includes(value) ? without : [...before, value]
  const condition = values.length < 2 ? values[0] : { $in: values }
  return withCondition(view, path, condition)
}

export interface Range {
  readonly $gte?: number
  readonly $lte?: number
}

/** The range of numbers that the filter asks for in a field, and nothing else. */
export function chosenRange(view: View, path: string): Range | undefined {
  const condition = conditionOn(view, path)
  if (!isJsonObject(condition)) return undefined
  const bounds = Object.entries(condition)
  const isRange = bounds.every(
    ([name, bound]) => ['$gte', '$lte'].includes(name) && typeof bound === 'number',
  )
  return isRange && bounds.length > 0 ? condition : undefined
}

export const firstPage = <Shown extends View>(view: Shown): Shown => ({
  ...view,
  offset: 0,
  after: '',
})

/** The filter that is sent to the API: the view's filter and the prefix. */
export function wholeFilter({ filter, prefix }: View): View['filter'] | undefined {
  const isEmpty = Object.keys(filter).length === 0
  if (prefix === '') return isEmpty ? undefined : filter
  const begins = { text_id: { $prefix: prefix } }
  return isEmpty ? begins : { $and: [begins, filter] }
}

/** What searches for words alone give a sense: phrases, words left out, beginnings of words. */
const signs = /(^|\s)-?"|(^|\s)-\S|\S\*/

/** Guesses what the typed text is. @param hasMeaning whether words may be looked for by meaning */
export function recognise(typed: string, by: 'any' | Sought['by'], hasMeaning = false) {
  if (by !== 'any') return by
  // text_ids seldom contain spaces, and most contain a digit or a sign.
  if (/^\s*\[/.test(typed) || parseVector(typed) !== undefined) return 'vector'
  if (!/\s/.test(typed) && /[\d_:/.#-]/.test(typed)) return 'text_id'
  return hasMeaning && !signs.test(typed) ? 'both' : 'words'
}

const isScalar = (value: unknown): value is FacetValue =>
  ['string', 'number', 'boolean'].includes(typeof value)

export interface MetadataValue {
  /** The field's path as filters write it. */
  readonly path: string
  readonly value: FacetValue | null
}

/**
 * The scalar values of metadata that a filter finds, each with the path of its field, or of the
 * array it is in.
 */
export function valuesIn(metadata: unknown, keys: readonly string[] = []): MetadataValue[] {
  if (metadata === null || isScalar(metadata)) {
    const path = printPath(keys)
    // Filters refuse some paths, such as the empty one.
    return typeof pathOf(path) === 'string' ? [] : [{ path, value: metadata }]
  }
  if (Array.isArray(metadata)) {
    // Filters look at the elements of an array, but not at those of an array within it.
    return metadata.flatMap((element) => (Array.isArray(element) ? [] : valuesIn(element, keys)))
  }
  if (typeof metadata !== 'object') return []
  return Object.entries(metadata).flatMap(([key, value]) => valuesIn(value, [...keys, key]))
}

/** How many scalar values are in metadata, also those that no filter finds. */
export const countScalars = (metadata: unknown): number =>
  typeof metadata === 'object' && metadata !== null
    ? Object.values(metadata).reduce((sum: number, inner) => sum + countScalars(inner), 0)
    : 1
