import { isJsonObject } from '../json-object.ts'
import { type FileRecord, hasLongNumber } from './file-records.ts'
import { isEmpty, type Mapping, numberedId, type RowPart, single, unmapped } from './mapping.ts'
import type { Values } from './records.ts'

/** A row of a file, as a line of an upload or with the reason why it cannot be one. */
export type UploadRow = { readonly place: string; readonly id: string } & (
  | { readonly json: string; readonly hasVector: boolean }
  | { readonly problem: string }
)

type JsonObject = Record<string, unknown>

// Without a prototype, so that no name of a column is one of its fields.
const empty = (): JsonObject => Object.create(null)

export interface RowOptions {
  readonly fileName: string
  readonly dimensions: number | undefined
  readonly mapping: Mapping
  /** The columns of texts that are all numbers, which become numbers in metadata. */
  readonly numeric?: ReadonlySet<string>
}

interface Columns extends RowOptions {
  readonly id: string | undefined
  readonly text: string | undefined
  readonly vector: readonly string[]
  readonly object: string | undefined
  /** Those that are no fields of metadata. */
  readonly taken: ReadonlySet<string | undefined>
  /** Whether rows of JSON can be sent as they are, so that the server judges what is in them. */
  readonly isRaw: boolean
}

/** @returns what makes a line of an upload of a row; the number counts the rows from 1 */
export function rowMaker(options: RowOptions): (record: FileRecord, number: number) => UploadRow {
  const { fileName, mapping } = options
  const of = (role: RowPart) => mapping.flatMap((each) => (each.role === role ? each.columns : []))
  const [[id], [text], vector, [object]] = [of('text_id'), of('text'), of('vector'), of('object')]
  const taken = new Set([id, text, ...vector, object, ...of('none')])
  const isRaw = id === 'text_id' && mapping.every(isOfApi)
  const columns: Columns = { ...options, id, text, vector, object, taken, isRaw }
  return (record, number) => {
    const { place } = record
    if ('problem' in record) return { place, id: '', problem: record.problem }
    const { values, json } = record
    let rowId = ''
    try {
      rowId = id === undefined ? numberedId(fileName, number) : idOf(values.get(id), id)
      const hasVector = !vector.every((name) => isEmpty(values.get(name)))
      const hasText = text !== undefined && !isEmpty(values.get(text))
      if (!hasVector && !hasText) throw new Error('it has neither a vector nor a text')
      return { place, id: rowId, hasVector, json: lineOf(rowId, values, json ?? '', columns) }
    } catch (error) {
      return { place, id: rowId, problem: error instanceof Error ? error.message : String(error) }
    }
  }
}

const roleInApi = new Map<string, RowPart>([
  ...(['text_id', 'text', 'vector'] as const).map((name) => [name, name] as const),
  ['metadata', 'object'],
  ...unmapped.map((name) => [name, 'none'] as const),
])
const isOfApi = ({ name, role }: Mapping[number]) =>
  role === (roleInApi.get(name) ?? (single.includes(role) ? undefined : role))

/**
 * `ref.book` becomes `book` within `ref`. Empty values are left out. JSON in cells stays as it is
 * written, so that the server judges its numbers.
 */
function lineOf(id: string, values: Values, json: string, columns: Columns): string {
  const fields = {
    text_id: JSON.stringify(id),
    vector: vectorOf(values, columns),
    text: columns.text === undefined ? undefined : textOf(values.get(columns.text), columns.text),
  }
  const isUsual =
    values.get('text_id') === id && [...values.keys()].every((name) => roleInApi.has(name))
  if (columns.isRaw && json !== '' && isUsual) return json
  if (hasLongNumber(json)) throw new Error('it has a number with more digits than a browser reads')
  const given = Object.entries({ ...fields, metadata: metadataOf(values, columns) })
  const lines = given.flatMap(([name, value]) => (value === undefined ? [] : `"${name}":${value}`))
  return `{${lines.join()}}`
}

const maxId = 300

/** @param column the name of it, for what is wrong */
function idOf(value: unknown, column: string): string {
  if (isEmpty(value)) throw new Error(`“${column}” is empty`)
  const isNumber = typeof value === 'bigint' || Number.isSafeInteger(value)
  if (typeof value !== 'string' && !isNumber) throw new Error(`“${column}” is not a text`)
  const id = String(value)
  if (id.length <= maxId || [...id].length <= maxId) return id
  throw new Error(`“${column}” has more than ${maxId} characters`)
}

function textOf(value: unknown, column: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return JSON.stringify(value)
  throw new Error(`“${column}” is not a text`)
}

function vectorOf(values: Values, { vector, dimensions }: Columns): string | undefined {
  const [first, second] = vector
  if (first === undefined || vector.every((name) => isEmpty(values.get(name)))) return undefined
  if (second !== undefined) {
    return listOf(`${first} … ${vector.at(-1)}`, numbersIn(values, vector), dimensions)
  }
  const cell = values.get(first)
  if (typeof cell !== 'string') return listOf(first, exact(cell), dimensions)
  // What is no list may be base64, which the server reads.
  const isEncoded = dimensions !== undefined && cell.length === 4 * Math.ceil((4 * dimensions) / 3)
  if (isEncoded && /^[\w+/]+=*$/.test(cell)) return JSON.stringify(cell)
  listOf(first, jsonIn(cell), dimensions)
  return onOneLine(cell)
}

/** @throws if the project takes no such vector */
function listOf(column: string, list: unknown, dimensions: number | undefined): string {
  if (!Array.isArray(list) || !list.every(Number.isFinite)) {
    throw new Error(`“${column}” is not a list of numbers`)
  }
  if (dimensions !== undefined && list.length !== dimensions) {
    const has = `“${column}” has ${list.length} number${list.length === 1 ? '' : 's'}`
    throw new Error(`${has}, but vectors of this project have ${dimensions}`)
  }
  if (list.every((number) => number === 0)) throw new Error(`“${column}” has only zeros`)
  return JSON.stringify(list)
}

const numbersIn = (values: Values, columns: readonly string[]): number[] =>
  columns.map((name) => {
    const cell = values.get(name)
    const isWritten = typeof cell === 'string' && decimal.test(cell)
    if (isWritten || typeof cell === 'number' || typeof cell === 'bigint') return Number(cell)
    throw new Error(`“${name}” is not a number`)
  })

const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

function metadataOf(values: Values, { object, taken, numeric }: Columns): string | undefined {
  const tree = empty()
  const made = new Set([tree])
  for (const [name, value] of values) {
    if (taken.has(name) || value === undefined || value === null || value === '') continue
    put(tree, made, name, numeric?.has(name) ? Number(value) : exact(value))
  }
  const keys = Object.keys(tree)
  const given = object === undefined ? undefined : objectOf(values.get(object), object)
  if (given === undefined) return keys.length === 0 ? undefined : JSON.stringify(tree)
  const twice = keys.find((key) => Object.hasOwn(given.object, key))
  if (twice !== undefined) throw new Error(`“${object}” has “${twice}”, which is a column too`)
  if (keys.length === 0) return given.json
  const comma = Object.keys(given.object).length === 0 ? '' : ','
  return given.json.trimEnd().slice(0, -1) + comma + JSON.stringify(tree).slice(1)
}

/** A cell of JSON as it is written, or the JSON of what other files have instead. */
function objectOf(value: unknown, column: string) {
  if (isEmpty(value)) return undefined
  const isWritten = typeof value === 'string'
  const object = isWritten ? jsonIn(value) : exact(value)
  if (!isJsonObject(object)) throw new Error(`“${column}” is not a JSON object`)
  return { object, json: isWritten ? onOneLine(value) : JSON.stringify(object) }
}

const onOneLine = (json: string) => json.replaceAll(/[\r\n]/g, ' ')

/** @returns undefined for what is no JSON */
function jsonIn(cell: string): unknown {
  try {
    return JSON.parse(cell)
  } catch {
    return undefined
  }
}

/** @param made the objects that are not from the file itself */
function put(tree: JsonObject, made: Set<JsonObject>, name: string, value: unknown): void {
  const keys = name.split('.')
  const last = keys.pop() ?? name
  let within = tree
  for (const key of keys) {
    const inner = within[key] ?? empty()
    if (within[key] === undefined && isJsonObject(inner)) made.add(inner)
    if (!isJsonObject(inner) || !made.has(inner)) throw withinAnother(name)
    within[key] = inner
    within = inner
  }
  if (within[last] !== undefined) throw withinAnother(name)
  within[last] = value
}

const withinAnother = (name: string) =>
  new Error(`“${name}” would be within another column; leave one of the two out`)

/** What JSON can hold without a loss. @throws for what it cannot */
function exact(value: unknown): unknown {
  if (typeof value === 'bigint') {
    if (BigInt(Number(value)) === value) return Number(value)
    throw new Error(
      `${value} has too many digits for a number; write it as text, or leave its column out`,
    )
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
  const digits = cell.replace(/^-/, '')
  const number = Number(digits)
  const exponential = number.toExponential().replace(/(?<=e[+-])\d$/, '0$&')
  const isShort = [`${number}`, `${number}.0`, exponential].includes(digits)
  return Number.isFinite(number) && (isShort || number.toFixed(20).replace(/0+$/, '') === digits)
}
