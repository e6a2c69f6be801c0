import { type FacetValue, firstPage, type View } from './view.ts'

export interface Range {
  readonly $gte?: number
  readonly $lte?: number
}

/** The range of numbers that the filter asks for in a field, and nothing else. */
export function chosenRange({ filter }: View, path: string): Range | undefined {
  const condition = Object.hasOwn(filter, path) ? filter[path] : undefined
  if (typeof condition !== 'object' || condition === null) return undefined
  const bounds = Object.entries(condition)
  const isRange = bounds.every(
    ([name, bound]) => ['$gte', '$lte'].includes(name) && typeof bound === 'number',
  )
  return isRange && bounds.length > 0 ? condition : undefined
}

/** Chooses a range of a field, or clears it, and returns to the first page. */
export function chooseRange(view: View, path: string, range: Range | undefined): View {
  const { [path]: _, ...others } = view.filter
  return firstPage({ ...view, filter: range === undefined ? others : { ...others, [path]: range } })
}

/** The inverse of what `typedCondition` reads. */
export const printRange = (range: Range | undefined): string =>
  range === undefined ? '' : `${range.$gte ?? ''}..${range.$lte ?? ''}`

type Typed =
  | { readonly value: FacetValue }
  | { readonly range: Range }
  | { readonly problem: string }

/** What is typed for a field: a value or, of numbers, a range such as `3..9`. */
export function typedCondition(typed: string, isNumeric: boolean): Typed | undefined {
  if (typed === '') return undefined
  if (!isNumeric) return { value: typed }
  const [, from, to] = /^(.*?) *\.\. *(.*)$/.exec(typed) ?? []
  if (from === undefined || to === undefined) {
    const value = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(typed) ? Number(typed) : Number.NaN
    if (Number.isFinite(value)) return { value }
  } else if (from + to !== '' && [from, to].every(isBound)) {
    const least = from !== '' && { $gte: Number(from) }
    return { range: { ...least, ...(to !== '' && { $lte: Number(to) }) } }
  }
  const parts = typed.split(/\.\.+/).filter((part) => part.trim() !== '')
  const hasNumber = parts.length === 0 || parts.some((part) => !Number.isNaN(Number(part)))
  // Beside numbers, a field may have texts.
  if (!hasNumber) return { value: typed }
  return { problem: `'${typed}' is neither a number nor a range of numbers such as 3..9.` }
}

/** Whether it is a plain decimal number, or missing. */
const isBound = (text: string) =>
  text === '' || (/^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(Number(text)))
