import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet'

interface TableRow {
  /** Counted from 1. */
  readonly row: number
  readonly values: Record<string, unknown>
  readonly total: number
}

const rowsAtOnce = 5_000
const dayMs = 86_400_000
/** Days as text, as the Python client stores them. */
const parsers = {
  dateFromDays: (days: number) => new Date(days * dayMs).toISOString().slice(0, 10),
}

/** The rows of a Parquet file, of which some thousand are in memory. */
export async function* tableRows(blob: Blob): AsyncGenerator<TableRow> {
  const file = {
    byteLength: blob.size,
    slice: (start: number, end?: number) => blob.slice(start, end).arrayBuffer(),
  }
  const metadata = await parquetMetadataAsync(file)
  const total = Number(metadata.num_rows)
  for (let rowStart = 0; rowStart < total; rowStart += rowsAtOnce) {
    const rowEnd = Math.min(total, rowStart + rowsAtOnce)
    const rows = await parquetReadObjects({
      parsers,
      file,
      metadata,
      rowStart,
      rowEnd,
      useOffsetIndex: true,
    })
    for (const [at, values] of rows.entries()) {
      // What pandas numbers rows with.
      delete values['__index_level_0__']
      yield { row: rowStart + at + 1, values, total }
    }
  }
}
