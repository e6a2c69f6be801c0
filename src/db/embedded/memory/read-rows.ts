const headerBytes = 19

/**
 * Rows (text_id, vector) in the binary format of COPY. Each field is an int32 length and its bytes, all
 * big-endian; a vector is int16 dimensions, int16 zero, then float4 elements.
 * Source: PostgreSQL "COPY", section "Binary Format"; pgvector `vector_send`.
 */
export function readRows(bytes: Uint8Array): { textId: string; vector: Float32Array }[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rows: { textId: string; vector: Float32Array }[] = []
  let at = headerBytes
  // Each row begins with the number of its fields; the end is marked by -1.
  while (buffer.readInt16BE(at) !== -1) {
    const textBytes = buffer.readInt32BE(at + 2)
    const text = at + 6
    const vectorAt = text + textBytes + 8
    const dimensions = buffer.readInt16BE(text + textBytes + 4)
    const end = vectorAt + 4 * dimensions
    // A copy, which begins where floats may begin.
    const components = Buffer.from(new Uint8Array(buffer.subarray(vectorAt, end)).buffer)
    rows.push({
      textId: buffer.toString('utf8', text, text + textBytes),
      vector: new Float32Array(components.swap32().buffer),
    })
    at = end
  }
  return rows
}
