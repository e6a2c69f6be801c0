import { isArray, isObject, type Json, type JsonObject } from './metadata.ts'

/** What a filter looks at. */
export interface Filtered {
  readonly id: string
  readonly metadata: JsonObject | undefined
  readonly text: string | undefined
  /** As the service shows it. */
  readonly createdAt: string | undefined
}

/** Whether an embedding satisfies a filter, as docs/guide/searching.md defines it. */
export const holds = (filter: JsonObject, of: Filtered): boolean =>
  Object.entries(filter).every(([key, value]) => entryHolds(key, value, of))

function entryHolds(key: string, value: Json, of: Filtered): boolean {
  const all = isArray(value) ? value.filter(isObject) : []
  if (key === '$and') return all.every((part) => holds(part, of))
  if (key === '$or') return all.some((part) => holds(part, of))
  if (key === '$not') return isObject(value) && !holds(value, of)
  if (key === '$text') return isObject(value) && textHolds(value, of)
  const conditions = isObject(value) ? value : { $eq: value }
  return allHold(conditions, key, of)
}

function textHolds({ $contains, $exists }: JsonObject, { text }: Filtered): boolean {
  if ($exists !== undefined) return (text !== undefined) === $exists
  return text?.toUpperCase().includes(String($contains).toUpperCase()) === true
}

const allHold = (conditions: JsonObject, field: string, of: Filtered): boolean =>
  Object.entries(conditions).every(([operator, operand]) =>
    operator === '$not'
      ? isObject(operand) && !allHold(operand, field, of)
      : operatorHolds(operator, operand, field, of),
  )

function operatorHolds(operator: string, operand: Json, field: string, of: Filtered): boolean {
  const list = isArray(operand) ? operand : []
  const values = () => valuesOf(field, of)
  switch (operator) {
    case '$eq':
      return values().some((value) => isSame(value, operand, field))
    case '$ne':
      return !values().some((value) => isSame(value, operand, field))
    case '$in':
      return values().some((value) => list.some((wanted) => isSame(value, wanted, field)))
    case '$nin':
      return !values().some((value) => list.some((wanted) => isSame(value, wanted, field)))
    case '$exists':
      return found(keysOf(field), of.metadata).length > 0 === operand
    case '$contains':
      return arraysOf(field, of).some((array) => array.some((value) => value === operand))
    case '$prefix':
      return values().some(
        (value) => typeof value === 'string' && value.startsWith(String(operand)),
      )
    default:
      return values().some((value) => isOrdered(operator, value, operand, field))
  }
}

/** Times are compared as times, a date being its first moment. */
const isTime = (field: string) => field === 'created_at'
const isSame = (value: Json, wanted: Json, field: string) =>
  isTime(field) ? Date.parse(String(value)) === Date.parse(String(wanted)) : value === wanted

function isOrdered(operator: string, value: Json, operand: Json, field: string): boolean {
  const order = isTime(field)
    ? Date.parse(String(value)) - Date.parse(String(operand))
    : orderOf(value, operand)
  switch (operator) {
    case '$gt':
      return order > 0
    case '$gte':
      return order >= 0
    case '$lt':
      return order < 0
    case '$lte':
      return order <= 0
    default:
      throw new Error(`there is no operator ${operator}`)
  }
}

/** Not a number where they do not compare. */
function orderOf(one: Json, other: Json): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one === 'string' && typeof other === 'string') return byCodePoints(one, other)
  return Number.NaN
}

/** As UTF-8 orders them. */
export const byCodePoints = (one: string, other: string) =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

export function keysOf(path: string): string[] {
  const keys = path.match(/(\\.|[^.\\])+/gu) ?? []
  return keys.map((key) => key.replaceAll(/\\(.)/gu, '$1'))
}

/** What a condition compares: scalars and objects, and the elements of arrays. */
function valuesOf(field: string, of: Filtered): Json[] {
  if (field === 'text_id') return [of.id]
  if (isTime(field)) {
    if (of.createdAt === undefined) throw new Error(`it is not known when ${of.id} was made`)
    return [of.createdAt]
  }
  return found(keysOf(field), of.metadata).flatMap(elementsOf)
}

const elementsOf = (value: Json): readonly Json[] => (isArray(value) ? value : [value])

/** Paths look into arrays of objects, though not into arrays of arrays. */
function found(keys: readonly string[], metadata: JsonObject | undefined): Json[] {
  let reached: Json[] = metadata === undefined ? [] : [metadata]
  for (const key of keys) {
    reached = reached.flatMap(elementsOf).flatMap((value) => {
      const next = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
      return next === undefined ? [] : [next]
    })
  }
  return reached
}

const arraysOf = (field: string, of: Filtered) => found(keysOf(field), of.metadata).filter(isArray)

/** What is at a path that walks through objects alone; undefined where there is nothing. */
export function valueAt(path: string, metadata: JsonObject | undefined): Json | undefined {
  let value: Json | undefined = metadata
  for (const key of keysOf(path)) {
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

/** Whether metadata_path and metadata_value leave it out. */
export function isExcluded(path: string, value: string, { metadata }: Filtered): boolean {
  const there = valueAt(path, metadata)
  return (isArray(there) ? there : [there]).some(
    (scalar) => ['string', 'number', 'boolean'].includes(typeof scalar) && String(scalar) === value,
  )
}
