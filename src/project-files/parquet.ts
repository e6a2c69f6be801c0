import type { Parts } from '../embeddings/projection.ts'
import { ParquetParts, textColumn } from '../parquet/parquet-writer.ts'
import { receivedVector } from '../vectors/encoding.ts'
import type { ExportedRow, RowGroups } from './rows.ts'

/**
 * A row group ends at the first of two limits: elements of vectors (encoding this many takes some
 * 45 ms) or code units of texts. Only one row group is in memory at a time.
 */
const maxElements = 262_144
const maxText = 4 * 2 ** 20

const timeColumn = {
  name: 'created_at',
  type: 'INT64',
  converted_type: 'TIMESTAMP_MICROS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  repetition_type: 'REQUIRED',
} as const
/** A list without null elements, as section "Lists" of Parquet's LogicalTypes defines it. */
const vectorColumn = [
  {
    name: 'vector',
    converted_type: 'LIST',
    logical_type: { type: 'LIST' },
    repetition_type: 'REQUIRED',
    num_children: 1,
  },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', type: 'FLOAT', repetition_type: 'REQUIRED' },
] as const

const columnsOf = (parts: Parts) => [
  [textColumn('text_id', 'REQUIRED')],
  ...(parts.text ? [[textColumn('text', 'OPTIONAL')]] : []),
  ...(parts.metadata ? [[textColumn('metadata', 'OPTIONAL')]] : []),
  [timeColumn],
  ...(parts.vector ? [vectorColumn] : []),
]

/** A Parquet file, one row group at a time. */
export async function* parquetFile(
  parts: Parts,
  dimensions: number,
  groups: RowGroups,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const file = new ParquetParts(columnsOf(parts))
  const maxRows = Math.max(1, Math.floor(maxElements / (parts.vector ? dimensions : 16)))
  let pending: ExportedRow[] = []
  let text = 0
  for await (const rows of groups) {
    for (const row of rows) {
      pending.push(row)
      text += (row.text?.length ?? 0) + (row.metadata?.length ?? 0)
      if (pending.length < maxRows && text < maxText) continue
      file.write(columnData(pending, parts), pending.length)
      yield file.taken()
      pending = []
      text = 0
    }
  }
  if (pending.length > 0) file.write(columnData(pending, parts), pending.length)
  yield file.end()
}

const columnData = (rows: readonly ExportedRow[], { text, metadata, vector }: Parts) => [
  { name: 'text_id', data: rows.map(({ textId }) => textId), encoding: 'PLAIN' as const },
  ...(text ? [{ name: 'text', data: rows.map((row) => row.text) }] : []),
  ...(metadata ? [{ name: 'metadata', data: rows.map((row) => row.metadata) }] : []),
  { name: 'created_at', data: rows.map(({ createdAt }) => microseconds(createdAt)) },
  ...(vector ? [vectorData(rows)] : []),
]

/** Neither a dictionary nor compression makes float32 elements much smaller. */
const vectorData = (rows: readonly ExportedRow[]) => ({
  name: 'vector',
  data: rows.map((row) => Array.from(receivedVector(row.vector ?? ''))),
  encoding: 'PLAIN' as const,
  codec: 'UNCOMPRESSED' as const,
  offsetIndex: false,
})

/** @param time 2026-11-21T20:25:06.123456Z */
const microseconds = (time: string) =>
  BigInt(Date.parse(`${time.slice(0, -4)}Z`)) * 1_000n + BigInt(time.slice(-4, -1))
