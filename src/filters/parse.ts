import { isStorable } from '../db/storable.ts'
import { nearest } from '../did-you-mean.ts'
import { badRequest } from '../errors.ts'
import { isObject } from '../json/parse.ts'
import type { Field, Filter, Scalar } from './filter.ts'
import { folded } from './folding.ts'
import { pathOf } from './metadata-path.ts'
import { type Comparison, comparisons, operators } from './operators.ts'
import { timeOf } from './times.ts'

/** Nobody writes larger filters by hand, and the database would take long for them. */
export const maxFilterDepth = 16
export const maxFilterNodes = 256
export const maxFilterValues = 1_000
/** Each of these is compared with every document, while text_ids are looked up. */
export const maxMetadataValues = 200
/** Limit for all texts in a filter together. No metadata have more. */
const maxFilterCharacters = 256 * 1024

/** What is wrong with a filter, and where, as the keys and indexes that lead there. */
class FilterFault extends Error {
  readonly path: readonly (string | number)[]

  constructor(path: readonly (string | number)[], problem: string) {
    super(problem)
    this.path = path
  }
}

/** A place in a filter, and how much of the filter was read so far. */
interface Place {
  readonly path: FilterFault['path']
  readonly depth: number
  readonly read: { nodes: number; values: number; ofMetadata: number; characters: number }
}

/**
 * Reads a filter in MongoDB's syntax. Fields are metadata paths in dot notation, or text_id or
 * created_at, and $text for the text. A backslash escapes the next character, so that `\\text_id` is a field of the
 * metadata.
 */
export function readFilter(value: unknown): { filter: Filter } | { fault: FilterFault } {
  const read = { nodes: 0, values: 0, ofMetadata: 0, characters: 0 }
  try {
    return { filter: parseNode(value, { path: [], depth: 1, read }) }
  } catch (error) {
    if (error instanceof FilterFault) return { fault: error }
    throw error
  }
}

/** @throws 400 that names the place */
export function parseFilter(value: unknown): Filter {
  const read = readFilter(value)
  if ('filter' in read) return read.filter
  const { path, message } = read.fault
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
  throw badRequest(`filter${place} ${message}`)
}

const at = ({ path }: Place, problem: string) => new FilterFault(path, problem)
const item = (place: Place, index: number): Place => ({ ...place, path: [...place.path, index] })
const within = (place: Place, key: string): Place => ({
  ...place,
  path: [...place.path, shown(key)],
  depth: place.depth + 1,
})

const shown = (key: string) => (key.length > 60 ? `${key.slice(0, 60)}…` : key)

/** Counts conditions, so that reading stops if the filter is too large. */
function enter(place: Place): void {
  place.read.nodes += 1
  if (place.depth > maxFilterDepth)
    throw at(place, `is nested deeper than ${maxFilterDepth} levels`)
  if (place.read.nodes > maxFilterNodes) {
    throw at(place, `is one too many: a filter has at most ${maxFilterNodes} conditions`)
  }
}

function parseNode(value: unknown, place: Place): Filter {
  enter(place)
  if (!isObject(value)) {
    throw at(place, 'must be an object such as {"ref.book": "Mark"}')
  }
  return allOf(
    Object.entries(value).map(([key, part]) => parseEntry(key, part, within(place, key))),
  )
}

const allOf = (filters: readonly Filter[]): Filter => {
  const [first] = filters
  return filters.length === 1 && first !== undefined ? first : { is: 'and', of: filters }
}

const not = (filter: Filter): Filter => ({ is: 'not', of: filter })

function parseEntry(key: string, value: unknown, place: Place): Filter {
  switch (key) {
    case '$and':
    case '$or': {
      if (!Array.isArray(value) || value.length === 0) {
        throw at(place, 'must be an array of at least one filter')
      }
      const of = value.map((part, index) => parseNode(part, item(place, index)))
      return { is: key === '$and' ? 'and' : 'or', of }
    }
    case '$not':
      return not(parseNode(value, place))
    case '$text': {
      if (!isObject(value)) throw at(place, 'must be an object such as {"$contains": "love"}')
      return parseComparisons({ of: 'text' }, value, place)
    }
  }
  if (key.startsWith('$')) throw unknownOperator(place, key, ['$and', '$or', '$not', '$text'])
  const field = fieldOf(key, place)
  if (isObject(value)) return parseComparisons(field, value, place)
  if (Array.isArray(value))
    throw at(place, 'must be a value or operators; for several values use $in')
  return compare(field, '$eq', value, place)
}

function fieldOf(key: string, place: Place): Field {
  if (key === 'text_id' || key === 'created_at') return { of: key }
  if (!isStorable(key)) throw at(place, 'must not hold NUL characters or lone surrogates')
  const path = pathOf(key)
  if (typeof path === 'string') throw at(place, path)
  return { of: 'metadata', path }
}

function parseComparisons(field: Field, value: Record<string, unknown>, place: Place): Filter {
  enter(place)
  const entries = Object.entries(value)
  if (entries.length === 0) {
    const such = field.of === 'text' ? '$contains' : '$eq or $in'
    throw at(place, `must have an operator such as ${such}`)
  }
  return allOf(
    entries.map(([operator, operand]) => {
      const inside = within(place, operator)
      if (operator === '$not') {
        if (!isObject(operand)) throw at(inside, 'must be an object of operators')
        return not(parseComparisons(field, operand, inside))
      }
      return compare(field, operator, operand, inside)
    }),
  )
}

function compare(field: Field, operator: string, operand: unknown, place: Place): Filter {
  enter(place)
  if (field.of === 'text') return ofText(operator, operand, place)
  const rule = operators.get(operator)
  if (rule === undefined) throw unknownOperator(place, operator, [...operators.keys(), '$not'])
  const { is, takesList = false, negated = false, inArray = false } = rule
  const why = rule.senseless?.(field.of)
  if (why) throw at(place, `has no meaning: ${why}`)
  if (is === 'there') return isThere(field, operand, place)
  const values = (takesList ? listOf(operand, place) : [operand]).map((value, index) =>
    valueFor(field, is, value, takesList ? item(place, index) : place),
  )
  const filter: Filter = { is, field, values, ...(inArray && { inArray }) }
  return negated ? not(filter) : filter
}

function ofText(operator: string, operand: unknown, place: Place): Filter {
  if (operator === '$exists') return isThere({ of: 'text' }, operand, place)
  if (operator !== '$contains') {
    throw unknownOperator(place, operator, ['$contains', '$exists', '$not'])
  }
  const part = valueFor({ of: 'text' }, 'in', operand, place)
  if (typeof part !== 'string' || part === '') throw at(place, 'must not be empty')
  // It would be in every text.
  if (folded(part) === '') {
    throw at(place, 'must have more than marks and invisible characters, which make no difference')
  }
  return { is: 'contains', part }
}

function isThere(field: Field, operand: unknown, place: Place): Filter {
  if (typeof operand !== 'boolean') throw at(place, 'must be true or false')
  const there: Filter = { is: 'there', field }
  return operand ? there : not(there)
}

function listOf(operand: unknown, place: Place): unknown[] {
  if (!Array.isArray(operand)) throw at(place, 'must be an array of values')
  return operand
}

function valueFor(field: Field, is: Comparison, value: unknown, place: Place): Scalar {
  place.read.values += 1
  if (field.of === 'metadata') place.read.ofMetadata += 1
  if (place.read.ofMetadata > maxMetadataValues) {
    throw at(
      place,
      `is one too many: at most ${maxMetadataValues} values are compared with metadata`,
    )
  }
  if (place.read.values > maxFilterValues) {
    throw at(place, `is one too many: a filter has at most ${maxFilterValues} values`)
  }
  const types = field.of === 'metadata' ? comparisons[is].types : ['string']
  if (!isOneOf(value, types)) throw at(place, `must be ${orList(types)}`)
  if (typeof value !== 'string') {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw at(place, 'is too large a number')
    return value
  }
  place.read.characters += value.length
  if (place.read.characters > maxFilterCharacters) {
    throw at(
      place,
      `is too long: the texts of a filter have at most ${maxFilterCharacters} characters together`,
    )
  }
  if (!isStorable(value)) throw at(place, 'must not hold NUL characters or lone surrogates')
  if (field.of !== 'created_at') return value
  const time = timeOf(value)
  if (time === undefined) {
    throw at(place, 'must be a date such as 2026-11-22 or a time such as 2026-11-22T21:40:00Z')
  }
  return time
}

function isOneOf(value: unknown, types: readonly string[]): value is Scalar {
  return types.includes(value === null ? 'null' : typeof value)
}

const orList = (types: readonly string[]) => {
  const named = types.map((type) => (type === 'null' ? type : `a ${type}`))
  return named.length === 1 ? named.join() : `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`
}

function unknownOperator(place: Place, name: string, known: readonly string[]) {
  const meant = nearest(name, known)
  const hint = meant === undefined ? `known here: ${known.join(', ')}` : `did you mean ${meant}?`
  return at(place, `${name.startsWith('$') ? 'is no' : 'must be an'} operator; ${hint}`)
}
