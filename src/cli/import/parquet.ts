import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { decompress } from 'fzstd'
import {
  asyncBufferFromFile,
  type Compressors,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from 'hyparquet'
import { StartupError } from '../../errors.ts'
import type { ImportRow } from './item.ts'
import { parsed } from './ndjson.ts'
import { vectorsOf } from './parquet-vectors.ts'

const columns = ['text_id', 'text', 'metadata']
const rowsAtOnce = 10_000

/** A page that holds more than it says is refused. */
const compressors: Compressors = {
  GZIP: (page, maxOutputLength) => gunzipSync(page, { maxOutputLength }),
  BROTLI: (page, maxOutputLength) => brotliDecompressSync(page, { maxOutputLength }),
  // Node has its own from 22.15 on.
  ZSTD: (page, length) => decompress(page, new Uint8Array(length)),
}

/** @param ignored gets the names of other columns */
export async function openParquet(name: string, ignored: Set<string>) {
  const file = await asyncBufferFromFile(name)
  const metadata = await parquetMetadataAsync(file).catch((error) => {
    throw new StartupError(`${name} is no Parquet file: ${error.message}`)
  })
  const found = parquetSchema(metadata).children.map(({ element }) => element.name)
  for (const missing of ['text_id', 'vector'].filter((column) => !found.includes(column))) {
    throw new StartupError(`there is no column ${missing} among ${found.join(', ')}`)
  }
  for (const column of found)
    if (![...columns, 'vector', 'created_at'].includes(column)) ignored.add(column)
  const total = Number(metadata.num_rows)
  const own = columns.filter((column) => found.includes(column))
  let read = 0
  async function* rows(): AsyncGenerator<ImportRow, void> {
    for (const group of metadata.row_groups) {
      const vectors = vectorsOf(file, metadata, group, compressors)
      const groupEnd = read + Number(group.num_rows)
      while (read < groupEnd) {
        const rowEnd = Math.min(read + rowsAtOnce, groupEnd)
        const options = { file, metadata, columns: own, rowStart: read, rowEnd, compressors }
        const some: Record<string, unknown>[] = await parquetReadObjects(options)
        if (some.length === 0) throw new Error(`it has fewer than ${total} rows`)
        for (const row of some) {
          const { value: vector } = await vectors.next()
          read += 1
          yield { line: read, ...rowValue({ ...row, vector }) }
        }
      }
    }
  }
  return {
    rows: readable(name, rows()),
    place: 'row' as const,
    part: () => (total === 0 ? 1 : read / total),
  }
}

/** Metadata are JSON text, as exports of the service have them, or a group of columns. */
function rowValue({ metadata, ...rest }: Record<string, unknown>) {
  if (typeof metadata !== 'string') return { value: { ...rest, metadata: plain(metadata) } }
  const inner = parsed(metadata)
  return 'problem' in inner
    ? { problem: `metadata: ${inner.problem}` }
    : { value: { ...rest, metadata: inner.value } }
}

/** Without what JSON does not have: dates, and whole numbers of 64 bits, which are texts where they are too large. */
function plain(metadata: unknown): unknown {
  if (metadata === undefined || metadata === null) return metadata
  const text = JSON.stringify(metadata, (_, value) => {
    if (typeof value !== 'bigint') return value
    return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`
  })
  return JSON.parse(text)
}

/** What the library throws says what is wrong with the file, such as its compression. */
async function* readable(
  name: string,
  rows: AsyncIterable<ImportRow>,
): AsyncGenerator<ImportRow, void> {
  try {
    yield* rows
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw new StartupError(`${name} cannot be read: ${reason}`)
  }
}
