import { cellsOf, recordsOf } from './records.ts'
import { type Columns, isJsonNumber, tableColumns, tableRow, type UploadRow } from './table-rows.ts'

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
  const { file, tell } = reading
  const [, kind = ''] = /\.(\w+?)(?:\.gz)?$/i.exec(file.name.toLowerCase()) ?? []
  const share = (bytes: number) => tell(file.size === 0 ? 1 : bytes / file.size)
  if (['ndjson', 'jsonl'].includes(kind)) {
    for await (const { line, text } of recordsOf(file, false, share)) {
      if (text.trim() !== '') yield { place: `line ${line}`, json: text }
    }
  } else if (['csv', 'tsv'].includes(kind)) yield* csvRows(reading, share, kind === 'tsv')
  else if (['parquet', 'pq'].includes(kind)) yield* parquetRows(reading)
  else
    throw new Error('The name must end in .ndjson, .jsonl, .csv, .tsv (also with .gz) or .parquet.')
}

interface CsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

async function* csvCells(
  file: File,
  isTabbed: boolean,
  tell: (bytes: number) => void,
): AsyncGenerator<CsvRow> {
  let delimiter = ''
  for await (const { line, text } of recordsOf(file, true, tell)) {
    delimiter ||= isTabbed ? '\t' : delimiterOf(text)
    if (text.trim() === '') continue
    try {
      yield { line, cells: cellsOf(text, delimiter) }
    } catch (error) {
      throw new Error(`Line ${line}: ${error instanceof Error ? error.message : error}.`)
    }
  }
}

/** Spreadsheets of many countries separate by semicolons. */
const delimiterOf = (header: string) =>
  [',', ';', '\t'].reduce((best, each) =>
    header.split(each).length > header.split(best).length ? each : best,
  )

async function* csvRows(
  { file, dimensions }: Reading,
  tell: (bytes: number) => void,
  isTabbed: boolean,
): AsyncGenerator<UploadRow> {
  // A column has numbers if all its cells are numbers, which only the whole file tells.
  const texts = new Set<number>()
  for await (const { line, cells } of csvCells(file, isTabbed, () => undefined)) {
    if (line === 1) continue
    for (const [at, cell] of cells.entries()) if (cell !== '' && !isJsonNumber(cell)) texts.add(at)
  }
  let names: readonly string[] | undefined
  let columns: Columns = tableColumns([], dimensions)
  for await (const { line, cells } of csvCells(file, isTabbed, tell)) {
    const place = `line ${line}`
    if (names === undefined) {
      names = cells
      columns = tableColumns(names, dimensions)
    } else if (cells.length !== names.length) {
      yield {
        place,
        problem: `it has ${cells.length} cells, not ${names.length} as the first line`,
      }
    } else {
      const kept = new Set([columns.id, columns.text])
      const values = names.map((name, at) => {
        const cell = cells[at] ?? ''
        return [name, cell === '' || texts.has(at) || kept.has(name) ? cell : Number(cell)]
      })
      yield tableRow(place, Object.fromEntries(values), columns)
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
    columns ??= tableColumns(Object.keys(values), dimensions)
    yield tableRow(`row ${row}`, values, columns)
    tell(row / total)
  }
}
