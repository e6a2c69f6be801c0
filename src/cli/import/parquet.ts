import {
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from 'hyparquet'
import { StartupError } from '../../errors.ts'
import type { Row } from './item.ts'
import { parsed } from './ndjson.ts'

const columns = ['text_id', 'vector', 'text', 'metadata']
/** Of vectors, which are arrays of doubles meanwhile: some 64 MB. */
const elementsAtOnce = 8 * 1024 * 1024

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
  for (const column of found) if (![...columns, 'created_at'].includes(column)) ignored.add(column)
  const total = Number(metadata.num_rows)
  const own = columns.filter((column) => found.includes(column))
  let read = 0
  async function* rows(): AsyncGenerator<Row, void> {
    let atOnce = 1
    for (const { num_rows } of metadata.row_groups) {
      const groupEnd = read + Number(num_rows)
      while (read < groupEnd) {
        const rowEnd = Math.min(read + atOnce, groupEnd)
        const options = {
          file,
          metadata,
          columns: own,
          rowStart: read,
          rowEnd,
          useOffsetIndex: true,
        }
        const some: Record<string, unknown>[] = await parquetReadObjects(options).catch((error) => {
          throw new StartupError(`${name} cannot be read: ${error.message}`)
        })
        for (const row of some) {
          read += 1
          yield { line: read, ...rowValue(row) }
        }
        const [first] = some
        const length = Array.isArray(first?.['vector']) ? first['vector'].length : 1
        atOnce = Math.max(1_000, Math.floor(elementsAtOnce / Math.max(1, length)))
      }
    }
  }
  return { rows: rows(), place: 'row' as const, part: () => (total === 0 ? 1 : read / total) }
}

/** Metadata are JSON text, as exports of the service have them, or a group of columns. */
function rowValue({ metadata, ...rest }: Record<string, unknown>) {
  if (typeof metadata !== 'string') return { value: { ...rest, metadata: plain(metadata) } }
  const inner = parsed(metadata)
  return 'problem' in inner
    ? { problem: `metadata: ${inner.problem}` }
    : { value: { ...rest, metadata: inner.value } }
}

/** Without what JSON does not have: whole numbers of 64 bits and dates. */
function plain(metadata: unknown): unknown {
  if (metadata === undefined || metadata === null) return metadata
  const text = JSON.stringify(metadata, (_, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  )
  return JSON.parse(text)
}
