import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { StartupError } from '../../errors.ts'
import type { Row } from './item.ts'

interface Parsed {
  readonly record: Readonly<Record<string, string>>
  /** Where the record ends. */
  readonly info: { readonly lines: number }
}

/**
 * The rows of a CSV file beside vectors. Columns other than text_id and text become metadata: numbers where
 * they are written as JSON writes them, texts elsewhere, and nothing where they are empty.
 */
export async function* csvRows(
  chunks: AsyncIterable<Uint8Array>,
  vectors: AsyncGenerator<Float32Array, void>,
  delimiter: string,
): AsyncGenerator<Row, void> {
  const records = Readable.from(chunks).compose(
    parse({ columns: true, bom: true, info: true, delimiter, skip_empty_lines: true }),
  )
  let count = 0
  const parsed: AsyncIterable<Parsed> = records
  for await (const { record, info } of parsed) {
    const { text_id, text, ...others } = record
    if (count === 0 && text_id === undefined) {
      throw new StartupError(`there is no column text_id among ${Object.keys(record).join(', ')}`)
    }
    const { value: vector } = await vectors.next()
    if (vector === undefined) throw new StartupError(`there are only ${count} vectors for the rows`)
    count += 1
    const metadata = Object.fromEntries(
      Object.entries(others).flatMap(([name, cell]) =>
        cell === '' ? [] : [[name, cellValue(cell)]],
      ),
    )
    yield { line: info.lines, value: { text_id, ...(text && { text }), metadata, vector } }
  }
  if ((await vectors.next()).done !== true) {
    throw new StartupError(`there are more vectors than the ${count} rows`)
  }
}

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** A whole number that is too large for a double stays a text. */
function cellValue(cell: string): string | number {
  if (!number.test(cell)) return cell
  const value = Number(cell)
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : cell
}
