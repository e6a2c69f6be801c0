import type { Parts } from '../embeddings/projection.ts'
import { ParquetParts, textColumn } from '../parquet/parquet-writer.ts'
import { receivedVector } from '../vectors/encoding.ts'
import type { ExportedRow } from './rows.ts'

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

/** Writes rows as a Parquet file, one row group at a time. */
export class ParquetFile {
  readonly #parts: Parts
  readonly #groupRows: number
  readonly #file: ParquetParts
  #rows: ExportedRow[] = []
  #text = 0

  constructor(parts: Parts, dimensions: number) {
    this.#parts = parts
    this.#groupRows = Math.max(1, Math.floor(maxElements / (parts.vector ? dimensions : 16)))
    this.#file = new ParquetParts(columnsOf(parts))
  }

  /** @returns the bytes of completed row groups */
  *add(rows: readonly ExportedRow[]): Generator<Uint8Array<ArrayBuffer>> {
    for (const row of rows) {
      this.#rows.push(row)
      this.#text += (row.text?.length ?? 0) + (row.metadata?.length ?? 0)
      if (this.#rows.length < this.#groupRows && this.#text < maxText) continue
      this.#writeGroup()
      yield this.#file.taken()
    }
  }

  /** @returns the rest of the file */
  end(): Uint8Array<ArrayBuffer> {
    if (this.#rows.length > 0) this.#writeGroup()
    return this.#file.end()
  }

  #writeGroup(): void {
    const rows = this.#rows
    this.#rows = []
    this.#text = 0
    const { text, metadata, vector } = this.#parts
    const columnData = [
      { name: 'text_id', data: rows.map(({ textId }) => textId), encoding: 'PLAIN' as const },
      ...(text ? [{ name: 'text', data: rows.map((row) => row.text) }] : []),
      ...(metadata ? [{ name: 'metadata', data: rows.map((row) => row.metadata) }] : []),
      { name: 'created_at', data: rows.map(({ createdAt }) => microseconds(createdAt)) },
      ...(vector ? [vectorData(rows)] : []),
    ]
    this.#file.write(columnData, rows.length)
  }
}

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
