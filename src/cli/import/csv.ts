import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { StartupError } from '../../errors.ts'
import { pathOf } from '../../filters/metadata-path.ts'
import type { ImportRow } from './item.ts'

interface Parsed {
  readonly record: Readonly<Record<string, string>>
  /** Where the record ends. */
  readonly info: { readonly lines: number }
}

/**
 * The rows of a CSV file beside vectors. Columns other than text_id and text become metadata, `ref.book` within
 * `ref`: numbers where they are written as JSON writes them, texts elsewhere, and nothing where they are empty.
 */
export async function* csvRows(
  chunks: AsyncIterable<Uint8Array>,
  vectors: AsyncGenerator<Float32Array, void>,
  delimiter: string,
): AsyncGenerator<ImportRow, void> {
  for await (const { record, info } of recordsOf(chunks, delimiter)) {
    const { text_id, text, ...others } = record
    const { value: vector } = await vectors.next()
    const cells = Object.entries(others).filter(([, cell]) => cell !== '')
    const metadata = nested(cells.map(([path, cell]) => [path, cellValue(cell)]))
    yield { line: info.lines, value: { text_id, ...(text && { text }), metadata, vector } }
  }
}

/** @throws StartupError where there are no text_ids */
export async function countRows(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
): Promise<number> {
  let count = 0
  for await (const { record } of recordsOf(chunks, delimiter)) {
    if (count === 0 && record['text_id'] === undefined) {
      throw new StartupError(`there is no column text_id among ${Object.keys(record).join(', ')}`)
    }
    count += 1
  }
  return count
}

const recordsOf = (chunks: AsyncIterable<Uint8Array>, delimiter: string): AsyncIterable<Parsed> =>
  Readable.from(textOf(chunks)).compose(
    parse({ columns: named, info: true, delimiter, skip_empty_lines: true }),
  )

function named(names: readonly string[]): string[] {
  const repeated = names.find((name, at) => names.indexOf(name) < at)
  if (repeated === undefined) return [...names]
  throw new StartupError(`there are two columns '${repeated}'`)
}

/** What is no UTF-8 is refused: of what is replaced, two text_ids may become one. */
async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    throw error instanceof TypeError ? new StartupError('the file is not UTF-8') : error
  }
}

type Metadata = { [key: string]: string | number | Metadata }

/** Without a prototype, so that every name is a key like others. */
const emptyObject = (): Metadata => Object.create(null)

/** Columns are named by paths, as filters name fields. */
function nested(cells: readonly (readonly [string, string | number])[]): Metadata {
  const metadata = emptyObject()
  for (const [path, value] of cells) {
    const keys = pathOf(path)
    if (typeof keys === 'string') throw new StartupError(`the name of column '${path}' ${keys}`)
    const last = keys.pop() ?? ''
    let place = metadata
    for (const key of keys) {
      const inner = place[key] ?? emptyObject()
      if (typeof inner !== 'object') throw new StartupError(`column ${path} lies in another column`)
      place[key] = inner
      place = inner
    }
    if (last in place) throw new StartupError(`another column lies in ${path}`)
    place[last] = value
  }
  return metadata
}

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** What is too large or too small for a double stays a text. */
function cellValue(cell: string): string | number {
  if (!number.test(cell)) return cell
  const value = Number(cell)
  const isLost = value === 0 && /[1-9]/.test(cell.replace(/e.*/i, ''))
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && !isLost ? value : cell
}
