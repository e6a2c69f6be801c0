import { isJsonObject } from '../json-object.ts'
import type { FileRecord } from './file-records.ts'
import type { Values } from './records.ts'

/** What a column is for, in words: `object` has all of the metadata as one JSON object. */
export const roles = {
  text_id: 'text_id',
  text: 'Text',
  vector: 'Vector',
  metadata: 'Metadata',
  object: 'Metadata (JSON)',
  none: 'Leave out',
} as const
export type RowPart = keyof typeof roles
/** What only one column can be. */
export const single: readonly RowPart[] = ['text_id', 'text', 'vector', 'object']

/** A column, or those that have the numbers of a vector, such as v0, v1, …. */
export interface ColumnRole {
  readonly name: string
  readonly columns: readonly string[]
  readonly role: RowPart
}
export type Mapping = readonly ColumnRole[]

export const isRole = (value: string): value is RowPart => Object.hasOwn(roles, value)

/** The best name first. */
const known: readonly (readonly [RowPart, readonly string[]])[] = [
  ['text_id', ['text_id', 'id', '_id', 'textid']],
  ['text', ['text', 'body', 'content', 'document']],
  ['vector', ['vector', 'embedding', 'embeddings', 'values']],
  ['object', ['metadata']],
]
/** What the API says of a text besides, which it does not take. */
const answered = ['project_id', 'project_handle', 'user_handle', 'created_at']
export const unmapped: readonly string[] = ['instance_handle', 'vector_dim', ...answered]
/** What pandas calls a column without a name, and this page. */
const nameless = /^(unnamed: \d+|column \d+)$/i
/** With fewer numbered columns than that, they are a vector only if it has as many numbers. */
const manyNumbers = 16

type ValuesOf = (name: string) => readonly unknown[]

/** Guesses what each column is for, by its name or by what is in it; the rest are metadata. */
export function guessedMapping(sample: readonly Values[], dimensions: number | undefined): Mapping {
  const names = [...new Set(sample.flatMap((values) => [...values.keys()]))]
  const groups = numberedGroups(names, dimensions)
  const lone = names.filter((name) => !groups.flat().includes(name))
  const isApi = names.includes('text_id')
  const isLeft = (name: string) => nameless.test(name) || (isApi && unmapped.includes(name))
  const valuesOf = (name: string) =>
    sample.map((values) => values.get(name)).filter((value) => !isEmpty(value))
  const found = guessedRoles(lone, isLeft, valuesOf, sample.length)
  const hasVector = [...found.values()].includes('vector')
  return [
    ...lone.map((name): ColumnRole => {
      const role = found.get(name) ?? (isLeft(name) ? 'none' : 'metadata')
      return { name, columns: [name], role }
    }),
    ...groups.map((columns, at): ColumnRole => {
      const name = `${columns[0]} … ${columns.at(-1)}`
      return { name, columns, role: hasVector || at > 0 ? 'none' : 'vector' }
    }),
  ]
}

/** The columns that are more than metadata. @param isLeft which of them are left out */
function guessedRoles(
  names: readonly string[],
  isLeft: (name: string) => boolean,
  valuesOf: ValuesOf,
  rows: number,
): ReadonlyMap<string, RowPart> {
  const found = new Map<string, RowPart>()
  const choose = (role: RowPart, name: string | undefined) => {
    const isTaken = [...found.values()].includes(role)
    if (name !== undefined && !isTaken) found.set(name, role)
  }
  const has = (name: string, is: (value: unknown) => boolean) =>
    valuesOf(name).length === 0 || valuesOf(name).some(is)
  // These names may mean something else.
  const isFit = (name: string) =>
    (plain(name) !== 'metadata' || has(name, isObject)) &&
    (plain(name) !== 'values' || has(name, isList))
  const named = (wanted: readonly string[]) =>
    wanted.flatMap((each) => names.filter((name) => plain(name) === each && isFit(name)))[0]
  const open = () => names.filter((name) => !found.has(name) && !isLeft(name))
  for (const [role, wanted] of known) choose(role, named(wanted))
  choose('text', longestTexts(open(), valuesOf))
  // Beside longer texts, it is one of them.
  choose('text', named(['title']))
  const isEnough = (name: string) => rows >= (name === names[0] ? 2 : manyRows)
  choose(
    'text_id',
    open().find((name) => isEnough(name) && areIds(valuesOf(name), rows)),
  )
  return found
}

/** Words with a space between, or in a script that writes none. */
const freeText = /\p{L}.*\s.*\p{L}|[\u0e00-\u0eff\u3040-\u9fff]/su

/** The column that has the longest texts, if any has some. */
function longestTexts(names: readonly string[], valuesOf: ValuesOf): string | undefined {
  const lengths = names.map((name) => {
    const texts = valuesOf(name).filter((value) => typeof value === 'string' && !isObject(value))
    return texts.reduce<number>(
      (sum, text) => sum + (freeText.test(`${text}`) ? `${text}`.length : 0),
      0,
    )
  })
  return Math.max(...lengths) > 0 ? names[lengths.indexOf(Math.max(...lengths))] : undefined
}

/** In fewer rows, values that are there once may be so by chance, but for those of the first column. */
const manyRows = 10
/** Short, without spaces and with a digit, but no decimal number. */
const identifier = /^(?=.{1,64}$)(?!-?\d*[.,]\d+$)\S*\d\S*$/u

const areIds = (values: readonly unknown[], rows: number) =>
  new Set(values.map(String)).size === rows && values.every((value) => identifier.test(`${value}`))

const plain = (name: string) => name.toLowerCase().replaceAll(/[\s-]+/g, '_')
const isList = (value: unknown) =>
  Array.isArray(value) || ArrayBuffer.isView(value) || /^\s*\[/.test(String(value))
const isObject = (value: unknown) => isJsonObject(value) || /^\s*\{/.test(String(value))

/** Columns such as v0, v1, …: as many as a vector has numbers, or so many that they must be one. */
function numberedGroups(names: readonly string[], dimensions: number | undefined): string[][] {
  const number = (name: string) => Number(/\d+$/.exec(name)?.[0])
  const groups = new Map<string, string[]>()
  for (const name of names) {
    const prefix = name.replace(/\d+$/, '')
    if (prefix !== name) groups.set(prefix, [...(groups.get(prefix) ?? []), name])
  }
  return [...groups.values()]
    .filter(({ length }) => length > 1 && (length === dimensions || length >= manyNumbers))
    .toSorted((a, b) => Number(b.length === dimensions) - Number(a.length === dimensions))
    .map((group) => group.toSorted((a, b) => number(a) - number(b)))
}

/** @returns the mapping in which a column has another role, and no other has it, if only one can */
export const mapColumn = (mapping: Mapping, name: string, role: RowPart): Mapping =>
  mapping.map((field) => {
    if (field.name === name) return { ...field, role }
    if (field.role !== role || !single.includes(role)) return field
    return { ...field, role: field.columns.length > 1 ? 'none' : 'metadata' }
  })

/** How rows without a column of text_ids are numbered, such as `notes-1`. */
export const numberedId = (fileName: string, number: number): string =>
  `${fileName.replace(/\.\w+(\.gz)?$/i, '').slice(0, 200)}-${number}`

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** The first rows of a file, to be shown and guessed from. */
export async function firstRecords(records: AsyncIterable<FileRecord>): Promise<FileRecord[]> {
  const sample: FileRecord[] = []
  for await (const record of records) {
    sample.push(record)
    if (sample.length === sampleRows) break
  }
  return sample
}

const sampleRows = 50
