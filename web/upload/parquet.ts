import { gunzipSync } from 'fflate'
import { decompress } from 'fzstd'
import { type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import type { Values } from './records.ts'

interface TableRow {
  /** Counted from 1. */
  readonly row: number
  readonly values: Values
  readonly total: number
}

const firstRows = 50
const rowsAtOnce = 5_000
const dayMs = 86_400_000
/** What pandas numbers rows with. */
const isNumbering = (name: string) => /^__index_level_\d+__$/.test(name)

const textIn = (bytes: Uint8Array) => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Error('The file has a text that is not UTF-8.')
  }
}

/** Besides Snappy, which hyparquet knows itself. The usual one of polars is zstd. */
const compressors = {
  ZSTD: (packed: Uint8Array, length: number) => decompress(packed, new Uint8Array(length)),
  GZIP: (packed: Uint8Array, length: number) => gunzipSync(packed, { out: new Uint8Array(length) }),
}
const known = new Set(['UNCOMPRESSED', 'SNAPPY', ...Object.keys(compressors)])

const parsers = {
  // As the Python client stores them.
  dateFromDays: (days: number) => new Date(days * dayMs).toISOString().slice(0, 10),
  stringFromBytes: textIn,
  jsonFromBytes: textIn,
}

/** The rows of a Parquet file, of which some thousand are in memory. */
export async function* tableRows(blob: Blob): AsyncGenerator<TableRow> {
  const file = {
    byteLength: blob.size,
    slice: (start: number, end?: number) => blob.slice(start, end).arrayBuffer(),
  }
  const metadata = await parquetMetadataAsync(file)
  refuseUnknownCodecs(metadata)
  const names = columnNames(metadata)
  const total = Number(metadata.num_rows)
  for (let rowStart = 0, rowEnd = 0; rowStart < total; rowStart = rowEnd) {
    // The first rows are shown before anything is chosen.
    rowEnd = Math.min(total, rowStart + (rowStart === 0 ? firstRows : rowsAtOnce))
    const rows = await parquetReadObjects({
      ...{ parsers, compressors, file, metadata, rowStart, rowEnd },
      ...{ columns: names, useOffsetIndex: true },
    })
    for (const [at, row] of rows.entries()) {
      const values = new Map(names.map((name) => [name, row[name]]))
      yield { row: rowStart + at + 1, values, total }
    }
  }
}

/** @throws for a file that is packed in another way */
function refuseUnknownCodecs({ row_groups: groups }: FileMetaData): void {
  for (const { columns } of groups) {
    const codec = columns.find((column) => !known.has(column.meta_data?.codec ?? 'SNAPPY'))
    if (codec === undefined) continue
    throw new Error(
      `The file is compressed with ${codec.meta_data?.codec}, which browsers do not read. Write it with Snappy, zstd, gzip or without compression, or import it with the Python client, which is in clients/python of the repository.`,
    )
  }
}

/** @throws for a column whose values would not be what they are in the file */
function columnNames({ schema }: FileMetaData): string[] {
  const names: string[] = []
  let [left, name] = [0, '']
  for (const { name: part, num_children: children = 0, ...element } of schema.slice(1)) {
    // Columns follow each other, each with what is within it.
    if (left === 0) {
      name = part
      if (!isNumbering(name)) names.push(name)
      left = 1
    }
    left += children - 1
    if (isNumbering(name) || (children > 0 ? !isMap(element) : isExact(element))) continue
    const kind = element.logical_type?.type ?? element.converted_type ?? element.type
    throw new Error(
      `The column '${name}' has values of the type ${kind}, which browsers would change. Leave it out, or import the file with the Python client, which is in clients/python of the repository.`,
    )
  }
  const odd = names.find((each, at) => each === '__proto__' || names.indexOf(each) !== at)
  if (odd !== undefined) throw new Error(`The column '${odd}' cannot be told from others.`)
  return names
}

/** Of a map, keys without a value would be lost, and those that are there twice. */
const isMap = ({ logical_type: logical, converted_type: converted }: Element): boolean =>
  /^MAP/.test(logical?.type ?? converted ?? '')

const texts = ['STRING', 'UTF8', 'ENUM', 'JSON']

type Element = Omit<FileMetaData['schema'][number], 'name' | 'num_children'>

function isExact({ type, logical_type: logical, converted_type: converted }: Element): boolean {
  const kind = logical?.type ?? converted
  if (type === 'BYTE_ARRAY') return kind !== undefined && texts.includes(kind)
  if (type === 'FIXED_LEN_BYTE_ARRAY') return kind === 'FLOAT16'
  if (type === 'INT32' || type === 'INT64') {
    return kind === undefined || /^(INTEGER|U?INT_\d+|DATE|NULL)$/.test(kind)
  }
  return type === 'BOOLEAN' || type === 'FLOAT' || type === 'DOUBLE'
}
