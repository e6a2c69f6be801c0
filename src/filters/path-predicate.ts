import { type Filter, isOfMetadata, type Scalar, type Test, testsIn } from './filter.ts'
import { type Comparison, comparisons } from './operators.ts'

/**
 * A filter of metadata as an SQL/JSON path predicate, which `@@` evaluates and a GIN index
 * supports. `exists` is false for what cannot be compared, so that its negation holds. In lax mode,
 * paths enter the elements of arrays. Numbers compare with numbers, and texts with texts by code
 * points. Source: PostgreSQL "The SQL/JSON Path Language".
 */
export const jsonPathOf = (filter: Filter): string => combinationOf(filter, testOf)

/** @param test returns the text of a condition on a field */
export function combinationOf(filter: Filter, test: (test: Test) => string): string {
  switch (filter.is) {
    case 'and':
    case 'or': {
      const parts = filter.of.map((part) => combinationOf(part, test))
      return filter.is === 'and' ? joined(parts, '&&', '(1 == 1)') : joined(parts, '||', nothing)
    }
    case 'not':
      return `!(${combinationOf(filter.of, test)})`
    case 'contains':
      throw new Error('a text is not in the metadata')
    default:
      return test(filter)
  }
}

function testOf(test: Test): string {
  if (test.is === 'there') return `exists(${pathTo(test)})`
  const { is, values, inArray = false } = test
  // Comparisons enter arrays once more, so that an element of an element would match.
  const holds = is === 'in' ? isAmong(values) : compares(is, values[0] ?? null)
  const fits = `${holds} && @.type() != "array"`
  if (!inArray) return `exists(${pathTo(test)} ? (${fits}))`
  const { parent, key } = lastStep(test)
  return `exists(${parent} ? (${hasArray(key)} && exists(@${key} ? (${fits}))))`
}

/** Tests each parent separately: of several, one may have an array and another a scalar. */
const hasArray = (key: string) => `@.type() == "object" && @${key}.type() == "array"`

/**
 * The path to what a test compares: elements of arrays, and other values unless only arrays match.
 */
export function elementsOf(test: Test): string {
  if (!('inArray' in test && test.inArray)) return `${pathTo(test)}[*]`
  const { parent, key } = lastStep(test)
  return `${parent} ? (${hasArray(key)})${key}[*]`
}

const nothing = '(1 == 0)'

/** Up to so many values are compared one by one. */
const fewValues = 4

/** Many values become a search tree, since an array may have a hundred thousand elements. */
function isAmong(values: readonly Scalar[]): string {
  const different = [...new Set(values)]
  const numbers = different.filter((value) => typeof value === 'number')
  const texts = different.filter((value) => typeof value === 'string')
  const others = different.filter((value) => typeof value === 'boolean' || value === null)
  return joined(
    [
      ...others.map(equals),
      ...treeOf(
        'number',
        numbers.sort((a, b) => a - b),
      ),
      ...treeOf('string', texts.sort(byCodePoints)),
    ],
    '||',
    nothing,
  )
}

/**
 * Tests the type first, because numbers do not compare with texts: neither half of a tree would be
 * known to fail.
 */
const treeOf = (type: string, values: readonly Scalar[]): string[] =>
  values.length <= fewValues
    ? values.map(equals)
    : [`(@.type() == ${literal(type)} && ${halvesOf(values)})`]

function halvesOf(values: readonly Scalar[]): string {
  if (values.length <= fewValues) return joined(values.map(equals), '||', nothing)
  const middle = Math.ceil(values.length / 2)
  const least = values[middle] ?? null
  const below = halvesOf(values.slice(0, middle))
  const above = halvesOf(values.slice(middle))
  return `((${compares('lt', least)} && ${below}) || (${compares('gte', least)} && ${above}))`
}

/** The order of UTF-8. */
const byCodePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/**
 * With how many values each element of an array is compared, at most. Each comparison takes some 80
 * bytes, which PostgreSQL frees after the row.
 */
export const comparisonsOf = (filter: Filter): number =>
  testsIn(filter).reduce((sum, test) => {
    if (test.is === 'there' || test.is === 'contains') return sum + 1
    const { length } = test.values
    if (test.is !== 'in' || length <= fewValues) return sum + 1 + length
    return sum + 2 + fewValues + 2 * Math.ceil(Math.log2(length / fewValues))
  }, 0)

export const pathTo = (test: Test) => `$${stepsTo(test).join('')}`

/** The path by which filters reach a field. It also enters objects in arrays. */
export const jsonPathTo = (path: readonly string[]): string =>
  pathTo({ is: 'there', field: { of: 'metadata', path } })

const lastStep = (test: Test) => ({
  parent: `$${stepsTo(test).slice(0, -1).join('')}`,
  key: stepsTo(test).at(-1) ?? '',
})

function stepsTo({ field }: Test): string[] {
  if (field.of !== 'metadata') throw new Error(`${field.of} is not in the metadata`)
  return field.path.map((key) => `.${literal(key)}`)
}

/** A literal of JSON, which SQL/JSON paths understand too. */
const literal = (value: Scalar) => JSON.stringify(value)
const compares = (is: Comparison, value: Scalar) =>
  `@ ${comparisons[is].jsonPath} ${literal(value)}`
const equals = (value: Scalar) => compares('in', value)

/** Joins pairs of pairs, so that a thousand alternatives are ten levels deep. */
function joined(parts: readonly string[], operator: string, empty: string): string {
  const [first = empty] = parts
  if (parts.length < 2) return first
  const middle = Math.ceil(parts.length / 2)
  const left = joined(parts.slice(0, middle), operator, empty)
  const right = joined(parts.slice(middle), operator, empty)
  return `(${left} ${operator} ${right})`
}

/**
 * Everything that the index finds is compared again, however large it is, so this limits the
 * comparisons.
 */
const maxComparisons = 40

/**
 * The part of a filter that a GIN index of jsonb_path_ops can evaluate: equality with values of the
 * metadata, and combinations by `and` and `or`. It holds for every embedding for which the filter
 * holds. Source: PostgreSQL "jsonb Indexing".
 * @returns undefined if the index cannot evaluate any part, or if the filter is about text_ids or
 *   times as well: for those, the planner would rather read the keys of all projects
 */
export function indexedPart(filter: Filter): Filter | undefined {
  const part = isOfMetadata(filter) ? partOf(filter) : undefined
  return part && bounded(part)
}

/** Reduces a part that is too long to its first conditions, which match more embeddings. */
function bounded(part: Filter): Filter | undefined {
  if (comparisonsOf(part) <= maxComparisons) return part
  if (part.is !== 'and') return undefined
  const of = part.of.slice(0, Math.floor(part.of.length / 2))
  return of.length === 0 ? undefined : bounded({ is: 'and', of })
}

function partOf(filter: Filter): Filter | undefined {
  switch (filter.is) {
    case 'and':
    case 'or': {
      const of = filter.of.flatMap((each) => partOf(each) ?? [])
      const isLost = of.length === 0 || (filter.is === 'or' && of.length < filter.of.length)
      return isLost ? undefined : { is: filter.is, of }
    }
    case 'not':
    case 'there':
    case 'contains':
      return undefined
    default:
      return filter.is === 'in' && filter.values.length > 0 ? filter : undefined
  }
}
