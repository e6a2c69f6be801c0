import { endianness } from 'node:os'

/** A validated embedding on its way into the staging table. */
export interface StagedRow {
  readonly textId: string
  readonly vector: Float32Array
  readonly text: string | null
  /** JSON text. */
  readonly metadata: string | null
}

const columns = 5
const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const headerBytes = signature.length + 8
const jsonbVersion = 1
const utf8 = new TextEncoder()
const littleEndian = endianness() === 'LE'

/**
 * Rows (ordinal int4, text_id text, vector vector, text text, metadata jsonb) in the binary format
 * of COPY. Each field is an int32 length (-1 for null) and its bytes, all big-endian; a vector is
 * int16 dimensions, int16 zero, then float4 elements; jsonb is a version byte and the text.
 * Source: PostgreSQL "COPY", section "Binary Format"; pgvector `vector_recv`.
 */
export function encodeRows(rows: readonly StagedRow[]): Uint8Array<ArrayBuffer> {
  const encoded = rows.map((row) => ({
    textId: utf8.encode(row.textId),
    vector: row.vector,
    text: row.text === null ? null : utf8.encode(row.text),
    metadata: row.metadata === null ? null : utf8.encode(row.metadata),
  }))
  let size = headerBytes + 2
  for (const { textId, vector, text, metadata } of encoded) {
    size += 2 + columns * 4 + 4 + textId.length + 4 + vector.length * 4
    size += (text?.length ?? 0) + (metadata === null ? 0 : metadata.length + 1)
  }
  const writer = new Writer(size)
  writer.bytes(signature)
  writer.int32(0)
  writer.int32(0)
  for (const [ordinal, { textId, vector, text, metadata }] of encoded.entries()) {
    writer.int16(columns)
    writer.int32(4)
    writer.int32(ordinal)
    writer.field(textId)
    writer.vector(vector)
    writer.field(text)
    writer.field(metadata, jsonbVersion)
  }
  writer.int16(-1)
  return writer.buffer
}

class Writer {
  readonly buffer: Uint8Array<ArrayBuffer>
  readonly #view: DataView
  #at = 0

  constructor(size: number) {
    this.buffer = new Uint8Array(size)
    this.#view = new DataView(this.buffer.buffer)
  }

  int16(value: number): void {
    this.#view.setInt16(this.#at, value)
    this.#at += 2
  }

  int32(value: number): void {
    this.#view.setInt32(this.#at, value)
    this.#at += 4
  }

  bytes(value: Uint8Array): void {
    this.buffer.set(value, this.#at)
    this.#at += value.length
  }

  field(value: Uint8Array | null, version?: number): void {
    if (value === null) {
      this.int32(-1)
      return
    }
    this.int32(value.length + (version === undefined ? 0 : 1))
    if (version !== undefined) this.#view.setInt8(this.#at++, version)
    this.bytes(value)
  }

  vector(value: Float32Array): void {
    this.int32(4 + value.length * 4)
    this.int16(value.length)
    this.int16(0)
    const start = this.#at
    this.bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    // From the machine's own order to the network's.
    if (littleEndian) Buffer.from(this.buffer.buffer, start, value.byteLength).swap32()
  }
}
