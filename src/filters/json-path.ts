import type { Comparison, Filter, Scalar } from './filter.ts'

const operators: { readonly [Name in Comparison]: string } = {
  in: '==',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  prefix: 'starts with',
}

/**
 * A filter of metadata as an SQL/JSON path predicate, which `@@` evaluates and a GIN index knows.
 * `exists` makes false of what cannot be compared, so that `!` of it holds. In its lax mode, paths
 * look into the elements of arrays; numbers compare with numbers, texts with texts by code points.
 * Source: PostgreSQL "The SQL/JSON Path Language".
 */
export function jsonPathOf(filter: Filter): string {
  switch (filter.is) {
    case 'and':
      return joined(filter.of.map(jsonPathOf), '&&', '(1 == 1)')
    case 'or':
      return joined(filter.of.map(jsonPathOf), '||', '(1 == 0)')
    case 'not':
      return `!(${jsonPathOf(filter.of)})`
    case 'there':
      return `exists(${pathTo(filter)})`
    default: {
      const { is, values, inArray = false } = filter
      const tests = values.map((value) => `@ ${operators[is]} ${literal(value)}`)
      // Comparisons look into arrays once more, by which an element of an element would do.
      const fits = `${joined(tests, '||', '(1 == 0)')} && @.type() != "array"`
      const found = `exists(${pathTo(filter)} ? (${fits}))`
      return inArray ? `((${pathTo(filter)}.type() == "array") && ${found})` : found
    }
  }
}

function pathTo({ field }: Extract<Filter, { field: object }>): string {
  if (field.of !== 'metadata') throw new Error(`${field.of} is not in the metadata`)
  return `$${field.path.map((key) => `.${literal(key)}`).join('')}`
}

/** Of JSON, and by that of SQL/JSON paths too. */
const literal = (value: Scalar) => JSON.stringify(value)

/** In pairs of pairs, so that a thousand alternatives are ten levels deep. */
function joined(parts: readonly string[], operator: string, empty: string): string {
  const [first = empty] = parts
  if (parts.length < 2) return first
  const middle = Math.ceil(parts.length / 2)
  const [left, right] = [parts.slice(0, middle), parts.slice(middle)]
  return `(${joined(left, operator, empty)} ${operator} ${joined(right, operator, empty)})`
}
