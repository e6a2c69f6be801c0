import { csvRecords, linesOf } from './records.ts'
import {
  type Columns,
  isJsonNumber,
  tableColumns,
  tableRow,
  type UploadRow,
  type Values,
} from './table-rows.ts'

export interface Reading {
  readonly file: File
  readonly dimensions: number | undefined
  /** The URL of the script that reads Parquet. */
  readonly parquetScript: string
  /** Receives the share of the file that is read. */
  readonly tell: (share: number) => void
}

/** @throws for a file of another kind, and for one that cannot be read */
export async function* fileRows(reading: Reading): AsyncGenerator<UploadRow> {
  const first = new Map<string, string>()
  for await (const row of rowsOf(reading)) {
    const before = 'id' in row && row.id !== undefined ? first.get(row.id) : undefined
    if (before !== undefined) {
      yield { place: row.place, problem: `the same text_id is in ${before} too` }
      continue
    }
    if ('id' in row && row.id !== undefined) first.set(row.id, row.place)
    yield row
  }
}

async function* rowsOf(reading: Reading): AsyncGenerator<UploadRow> {
  const { file, tell } = reading
  const [, kind = ''] = /\.(\w+?)(?:\.gz)?$/i.exec(file.name.toLowerCase()) ?? []
  const share = (bytes: number) => tell(file.size === 0 ? 1 : bytes / file.size)
  if (['ndjson', 'jsonl'].includes(kind)) {
    for await (const { line, text } of linesOf(file, share)) {
      yield { place: `line ${line}`, id: textIdIn(text), json: text }
    }
  } else if (['csv', 'tsv'].includes(kind)) yield* csvRows(reading, share, kind === 'tsv')
  else if (['parquet', 'pq'].includes(kind)) yield* parquetRows(reading)
  else
    throw new Error('The name must end in .ndjson, .jsonl, .csv, .tsv (also with .gz) or .parquet.')
}

/** @returns undefined where the server will say what is wrong */
function textIdIn(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value !== 'object' || value === null || !('text_id' in value)) return undefined
    return typeof value.text_id === 'string' ? value.text_id : undefined
  } catch {
    return undefined
  }
}

async function* csvRows(
  { file, dimensions }: Reading,
  tell: (bytes: number) => void,
  isTabbed: boolean,
): AsyncGenerator<UploadRow> {
  const delimiter = isTabbed ? '\t' : undefined
  // A column has numbers if all its cells are numbers, which only the whole file tells.
  const texts = new Set<number>()
  let names: readonly string[] | undefined
  for await (const { cells, problem } of csvRecords(file, delimiter, () => undefined)) {
    if (names === undefined) names = cells
    else if (problem === undefined && cells.length === names.length) {
      for (const [at, cell] of cells.entries())
        if (cell !== '' && !isJsonNumber(cell)) texts.add(at)
    }
  }
  if (names === undefined) return
  const columns = tableColumns(names, dimensions)
  const isMetadata = new Set(columns.others)
  let isHeader = true
  for await (const { line, cells, problem } of csvRecords(file, delimiter, tell)) {
    const place = `line ${line}`
    if (isHeader) isHeader = false
    else if (problem !== undefined) yield { place, problem }
    else if (cells.length !== names.length) {
      yield {
        place,
        problem: `it has ${cells.length} cells, not ${names.length} as the first line`,
      }
    } else {
      const values: Values = new Map(
        names.map((name, at) => {
          const cell = cells[at] ?? ''
          const isNumber = cell !== '' && isMetadata.has(name) && !texts.has(at)
          return [name, isNumber ? Number(cell) : cell]
        }),
      )
      yield tableRow(place, values, columns)
    }
  }
}

/** What reads Parquet is a script of its own, which only uploads of Parquet load. */
async function* parquetRows({
  file,
  dimensions,
  parquetScript,
  tell,
}: Reading): AsyncGenerator<UploadRow> {
  const { tableRows }: typeof import('./parquet.ts') = await import(parquetScript)
  let columns: Columns | undefined
  for await (const { row, values, total } of tableRows(file)) {
    columns ??= tableColumns([...values.keys()].map(String), dimensions)
    yield tableRow(`row ${row}`, values, columns)
    tell(row / total)
  }
}
