import { isJsonObject } from '../json-object.ts'

/** A row of a file, as a line of an upload or with the reason why it cannot be one. */
export type UploadRow =
  | { readonly place: string; readonly id: string | undefined; readonly json: string }
  | { readonly place: string; readonly problem: string }

/** The names of a table's columns that are no metadata, as the Python client knows them too. */
const idNames = ['text_id', 'id']
const textNames = ['text']
const vectorNames = ['vector', 'embedding']

/** The values of a row by the names of their columns. */
export type Values = ReadonlyMap<string | undefined, unknown>
type JsonObject = Record<string, unknown>

// Without a prototype, so that no name of a column is one of its fields.
const empty = (): JsonObject => Object.create(null)

/**
 * Says what becomes of each column of a table. A first column without a name has the numbers of the
 * rows, as pandas writes them, and is left out.
 * @throws if that is not clear
 */
export function tableColumns(all: readonly string[], dimensions: number | undefined) {
  const names = all[0] === '' ? all.slice(1) : all
  if (names.includes('')) throw new Error(`Column ${all.lastIndexOf('') + 1} has no name.`)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`Two columns are called '${twice}'.`)
  const first = (known: readonly string[]) => known.find((name) => names.includes(name))
  const vector = first(vectorNames)
  const numbered = vector === undefined ? numberedColumns(names, dimensions) : []
  const [id, text] = [first(idNames), first(textNames)]
  if (id === undefined) throw new Error('No column is called text_id or id.')
  const known = new Set([id, text, vector, 'metadata', ...numbered])
  const others = names.filter((name) => !known.has(name))
  const within = others.find((name) => others.some((each) => name.startsWith(`${each}.`)))
  if (within !== undefined) {
    throw new Error(`'${within}' is within a column that is there itself; rename one of the two.`)
  }
  return { id, text, vector, numbered, others }
}

export type Columns = ReturnType<typeof tableColumns>

/** Columns such as v0, v1, …, if there are as many as a vector has numbers. */
function numberedColumns(names: readonly string[], dimensions: number | undefined): string[] {
  const groups = new Map<string, string[]>()
  for (const name of names) {
    const [, prefix] = /^(.*?)\d+$/.exec(name) ?? []
    if (prefix !== undefined) groups.set(prefix, [...(groups.get(prefix) ?? []), name])
  }
  const number = (name: string) => Number(/\d+$/.exec(name)?.[0])
  const fitting = [...groups.values()].filter((group) => group.length === dimensions)
  const [found = [], other] = fitting
  if (other !== undefined) {
    throw new Error(`Either '${found[0]}' or '${other[0]}' may begin the vector; rename one.`)
  }
  return found.toSorted((a, b) => number(a) - number(b))
}

/**
 * The upload's line for a row; `ref.book` becomes `book` within `ref`. Empty values are left out. JSON in cells stays as
 * it is written, so that the server judges its numbers.
 */
export function tableRow(place: string, values: Values, columns: Columns): UploadRow {
  try {
    const id = idOf(values.get(columns.id))
    const fields = {
      text_id: JSON.stringify(id),
      vector: vectorOf(values, columns),
      text: textOf(values.get(columns.text)),
      metadata: metadataOf(values, columns),
    }
    const given = Object.entries(fields).filter(([, json]) => json !== undefined)
    return { place, id, json: `{${given.map(([name, json]) => `"${name}":${json}`).join()}}` }
  } catch (error) {
    return { place, problem: error instanceof Error ? error.message : String(error) }
  }
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

function idOf(value: unknown): string {
  if (isEmpty(value)) throw new Error('text_id is empty')
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value)
  throw new Error('text_id is no text')
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return JSON.stringify(value)
  throw new Error('text is no text')
}

function vectorOf(values: Values, { vector, numbered }: Columns): string | undefined {
  if (numbered.length === 0) return jsonOf('vector', values.get(vector))
  const cells = numbered.map((name) => values.get(name))
  if (cells.every(isEmpty)) return undefined
  const numbers = cells.map((cell, at) => {
    const isWritten = typeof cell === 'string' && decimal.test(cell)
    if (isWritten || typeof cell === 'number' || typeof cell === 'bigint') {
      return exact(Number(cell))
    }
    throw new Error(`${numbered[at]} is no number`)
  })
  return JSON.stringify(numbers)
}

const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

function metadataOf(values: Values, { others }: Columns): string | undefined {
  const given = jsonOf('metadata', values.get('metadata'))
  const tree = empty()
  for (const name of others) {
    const value = values.get(name)
    if (value !== undefined && value !== null && value !== '') put(tree, name, exact(value))
  }
  const keys = Object.keys(tree)
  if (given === undefined) return keys.length === 0 ? undefined : JSON.stringify(tree)
  const parsed: unknown = JSON.parse(given)
  if (!isJsonObject(parsed)) throw new Error('metadata is no JSON object')
  const twice = keys.find((key) => Object.hasOwn(parsed, key))
  if (twice !== undefined) throw new Error(`metadata has '${twice}', which is a column too`)
  if (keys.length === 0) return given
  const comma = Object.keys(parsed).length === 0 ? '' : ','
  return given.trimEnd().slice(0, -1) + comma + JSON.stringify(tree).slice(1)
}

/** A cell of JSON as it is written, or the JSON of what a Parquet file has instead. */
function jsonOf(what: string, value: unknown): string | undefined {
  if (isEmpty(value)) return undefined
  if (typeof value !== 'string') return JSON.stringify(exact(value))
  try {
    JSON.parse(value)
    return value.replaceAll(/[\r\n]/g, ' ')
  } catch {
    throw new Error(`${what} '${value.slice(0, 40)}' is no JSON`)
  }
}

function put(tree: JsonObject, name: string, value: unknown): void {
  const keys = name.split('.')
  const last = keys.pop() ?? name
  let within = tree
  for (const key of keys) {
    const inner = within[key] ?? empty()
    if (!isJsonObject(inner)) throw new Error(`'${name}' is within another column`)
    within[key] = inner
    within = inner
  }
  within[last] = value
}

/** What JSON can hold without a loss. @throws for what it cannot */
function exact(value: unknown): unknown {
  if (typeof value === 'bigint') {
    if (BigInt(Number(value)) === value) return Number(value)
    throw new Error(`${value} is a whole number that a double cannot hold`)
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`it has ${value}`)
  if (ArrayBuffer.isView(value)) return Array.from(Object.values(value), exact)
  if (Array.isArray(value)) return value.map(exact)
  if (!isJsonObject(value)) return value
  const given = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined)
  return Object.fromEntries(given.map(([key, inner]) => [key, exact(inner)]))
}

/** How JSON, Python or R write a number: 3.1, 1.0 and 1e-05, but not 3.10, 007 and 12e4. */
export function isJsonNumber(cell: string): boolean {
  const [, whole = '', fraction, exponent] = written.exec(cell) ?? []
  if (whole === '') return false
  if (fraction === undefined && exponent === undefined) {
    return Number.isSafeInteger(Number(cell)) && `${Number(cell)}` === cell
  }
  const mantissa = fraction === undefined ? whole : `${whole}.${fraction}`
  const isPadded = mantissa.endsWith('0') && (exponent !== undefined || fraction !== '0')
  return (
    Number.isFinite(Number(cell)) && !isPadded && digitsOf(cell) === digitsOf(`${Number(cell)}`)
  )
}

const written = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:e([+-]\d\d+))?$/

/** The digits that count, whatever the exponent. */
const digitsOf = (number: string) =>
  (number.split('e')[0] ?? '').replaceAll(/[-.]/g, '').replaceAll(/^0+|0+$/g, '')
