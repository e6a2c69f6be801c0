import { isJsonObject } from '../json-object.ts'
import { type Encoding, encodingOf, workbook } from './encoding.ts'
import { csvRecords, linesOf, objectsOf, type TextFile, type Values } from './records.ts'

/** A row of a file, with the place where a person finds it. */
export type FileRecord = { readonly place: string } & (
  | {
      /** By the names of the columns. */
      readonly values: Values
      /** The row as it is written, if it is JSON. */
      readonly json?: string
    }
  | { readonly problem: string }
)

const kinds = {
  ...{ ndjson: 'lines', jsonl: 'lines', json: 'objects', csv: 'table', txt: 'table' },
  ...{ tsv: 'tabbed', parquet: 'parquet', pq: 'parquet' },
} as const
const isKnown = (ending: string): ending is keyof typeof kinds => Object.hasOwn(kinds, ending)

export interface Source {
  readonly file: File
  readonly kind: (typeof kinds)[keyof typeof kinds]
  readonly encoding: Encoding
  /** The URL of the script that reads Parquet, which only uploads of Parquet load. */
  readonly parquetScript: string
}

/** @throws for a file of another kind */
export async function sourceOf(file: File, parquetScript: string): Promise<Source> {
  const [, ending = ''] = /\.(\w+?)(?:\.gz)?$/i.exec(file.name.toLowerCase()) ?? []
  if (/^xls[xmb]?$/.test(ending)) throw workbook()
  if (!isKnown(ending)) {
    throw new Error(
      'The name must end in .csv, .tsv, .txt, .ndjson, .jsonl, .json (also with .gz) or .parquet.',
    )
  }
  const kind = kinds[ending]
  const isTable = kind === 'table' || kind === 'tabbed'
  const encoding = kind === 'parquet' ? 'utf-8' : await encodingOf(file, isTable)
  return { file, kind, encoding, parquetScript }
}

/**
 * @param tell receives the share of the file that is read
 * @throws for a file that cannot be read
 */
export async function* recordsOf(
  { file, kind, encoding, parquetScript }: Source,
  tell: (share: number) => void = () => undefined,
): AsyncGenerator<FileRecord> {
  const text = { file, encoding, tell: (bytes: number) => tell(bytes / Math.max(1, file.size)) }
  if (kind === 'table' || kind === 'tabbed') yield* tableRecords(text, kind === 'tabbed')
  else if (kind === 'parquet') {
    const { tableRows }: typeof import('./parquet.ts') = await import(parquetScript)
    for await (const { row, values, total } of tableRows(file)) {
      yield { place: `row ${row}`, values }
      tell(row / total)
    }
  } else {
    const read = kind === 'lines' ? linesOf : objectsOf
    for await (const { line, text: json } of read(text)) yield jsonRecord(`line ${line}`, json)
  }
}

/** Whole numbers that a double may not hold. */
const longNumber = /[[:,]\s*-?\d{16,}\s*[,\]}]/

function jsonRecord(place: string, json: string): FileRecord {
  try {
    const value: unknown = JSON.parse(json)
    if (!isJsonObject(value)) return { place, problem: 'it is no JSON object' }
    return { place, values: new Map(Object.entries(value)), json: json.replaceAll(/[\r\n]/g, ' ') }
  } catch (error) {
    return { place, problem: `it is not JSON: ${error instanceof Error ? error.message : error}` }
  }
}

export const hasLongNumber = (json: string): boolean => longNumber.test(json)

async function* tableRecords(text: TextFile, isTabbed: boolean): AsyncGenerator<FileRecord> {
  let names: readonly string[] | undefined
  for await (const { line, cells, problem } of csvRecords(text, isTabbed ? '\t' : undefined)) {
    const place = `line ${line}`
    if (names === undefined) names = columnNames(cells)
    else if (problem !== undefined) yield { place, problem }
    else if (cells.length === names.length) {
      yield { place, values: new Map(names.map((name, at) => [name, cells[at]])) }
    } else {
      const problem = `it has ${cells.length} cells, but the first line has ${names.length}`
      yield { place, problem }
    }
  }
}

/** Names that fit on one line, and are there once. */
function columnNames(cells: readonly string[]): string[] {
  const names: string[] = []
  for (const [at, cell] of cells.entries()) {
    const name = cell.replaceAll(/\s*[\r\n]\s*/g, ' ').trim() || `column ${at + 1}`
    let unique = name
    for (let times = 2; names.includes(unique); times += 1) unique = `${name} (${times})`
    names.push(unique)
  }
  return names
}
