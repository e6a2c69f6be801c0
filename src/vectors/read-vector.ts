/**
 * A vector from the binary form that pgvector's `vector_send` gives, in hex: int16 dimensions, int16 zero,
 * then float4 elements, all big-endian.
 */
export function readVector(hex: string): Float32Array {
  // A copy, which begins where floats may begin.
  const bytes = Buffer.from(new Uint8Array(Buffer.from(hex, 'hex').subarray(4)).buffer)
  return new Float32Array(bytes.swap32().buffer)
}
