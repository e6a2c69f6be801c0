/** A row of a file, as a line of an upload or with the reason why it cannot be one. */
export type UploadRow =
  | { readonly place: string; readonly json: string }
  | { readonly place: string; readonly problem: string }

/** The names of a table's columns that are no metadata, as the Python client knows them too. */
const idNames = ['text_id', 'id']
const textNames = ['text']
const vectorNames = ['vector', 'embedding']

type Values = Record<string, unknown>

const empty = (): Values => Object.create(null)

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** Says what becomes of each column of a table. */
export function tableColumns(names: readonly string[], dimensions: number | undefined) {
  const first = (known: readonly string[]) => known.find((name) => names.includes(name))
  const vector = first(vectorNames)
  const numbered = vector === undefined ? numberedColumns(names, dimensions) : []
  const [id, text] = [first(idNames), first(textNames)]
  const known = new Set([id, text, vector, 'metadata', ...numbered])
  return { id, text, vector, numbered, others: names.filter((name) => !known.has(name)) }
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
  const found = [...groups.values()].find((group) => group.length === dimensions)
  return (found ?? []).toSorted((a, b) => number(a) - number(b))
}

/** The upload's line for a row; `ref.book` becomes `book` within `ref`. Empty values are left out. */
export function tableRow(place: string, values: Values, columns: Columns): UploadRow {
  try {
    const metadata = given(values['metadata']) ?? empty()
    if (!isObject(metadata)) throw new Error('metadata is no JSON object')
    for (const name of columns.others) {
      const value = values[name]
      if (value !== null && value !== undefined && value !== '') put(metadata, name, value)
    }
    const vector =
      columns.numbered.length > 0
        ? columns.numbered.map((name) => Number(values[name] === '' ? Number.NaN : values[name]))
        : given(values[columns.vector ?? ''])
    const text = values[columns.text ?? '']
    const item = {
      text_id: String(values[columns.id ?? ''] ?? ''),
      ...(vector !== undefined && { vector }),
      ...(typeof text === 'string' && text !== '' && { text }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    }
    return { place, json: JSON.stringify(item, storable) }
  } catch (error) {
    return { place, problem: error instanceof Error ? error.message : String(error) }
  }
}

/** A cell of JSON, or what a Parquet file has instead. */
function given(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined
  if (value.trim() === '') return undefined
  try {
    return JSON.parse(value)
  } catch {
    throw new Error(`'${value.slice(0, 40)}' is no JSON`)
  }
}

function put(metadata: Values, name: string, value: unknown): void {
  const keys = name.split('.')
  let within = metadata
  for (const key of keys.slice(0, -1)) {
    const inner = within[key] ?? empty()
    if (!isObject(inner)) {
      // `ref` beside `ref.book` has a value of its own.
      metadata[name] = value
      return
    }
    within[key] = inner
    within = inner
  }
  within[keys.at(-1) ?? name] = value
}

function storable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') {
    if (BigInt(Number(value)) === value) return Number(value)
    throw new Error(`${value} is a whole number that a double cannot hold`)
  }
  return ArrayBuffer.isView(value) ? Array.from(Object.values(value)) : value
}

/** How JSON, Python or R write a number, but not 007 or 3.10. */
export const isJsonNumber = (cell: string): boolean =>
  /\d$/.test(cell) &&
  Number.isFinite(Number(cell)) &&
  `${Number(cell)}` === cell.replace(/\.0$/, '')
