import { pgvectorSize, putPgvector } from './encoding.ts'

/** A validated embedding for the staging table. */
export interface StagedRow {
  readonly textId: string
  readonly vector: Float32Array
  readonly text: string | null
  /** JSON text. */
  readonly metadata: string | null
}

const columns = 5
const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])

/**
 * Encodes rows (ordinal int4, text_id text, vector vector, text text, metadata jsonb) in the binary
 * format of COPY. Each field is an int32 length (-1 for null) and its bytes, all big-endian; jsonb
 * is a version byte and the text. Source: PostgreSQL "COPY", section "Binary Format".
 */
export function encodeRows(rows: readonly StagedRow[]): Uint8Array<ArrayBuffer> {
  const size = rows.reduce((sum, row) => sum + sizeOf(row), header.length + 2)
  const bytes = Buffer.alloc(size)
  let at = header.copy(bytes)
  for (const [ordinal, { textId, vector, text, metadata }] of rows.entries()) {
    at = bytes.writeInt16BE(columns, at)
    at = bytes.writeInt32BE(4, at)
    at = bytes.writeInt32BE(ordinal, at)
    at = putText(bytes, at, textId)
    at = bytes.writeInt32BE(pgvectorSize(vector), at)
    at = putPgvector(bytes, at, vector)
    at = putText(bytes, at, text)
    at = putText(bytes, at, withVersion(metadata))
  }
  bytes.writeInt16BE(-1, at)
  return bytes
}

const sizeOf = ({ textId, vector, text, metadata }: StagedRow) =>
  2 +
  columns * 4 +
  4 +
  Buffer.byteLength(textId) +
  pgvectorSize(vector) +
  Buffer.byteLength(text ?? '') +
  Buffer.byteLength(withVersion(metadata) ?? '')

const withVersion = (json: string | null) => (json === null ? null : `\u0001${json}`)

/** @returns where the field ends */
function putText(bytes: Buffer, at: number, text: string | null): number {
  if (text === null) return bytes.writeInt32BE(-1, at)
  const length = bytes.write(text, at + 4)
  return bytes.writeInt32BE(length, at) + length
}
