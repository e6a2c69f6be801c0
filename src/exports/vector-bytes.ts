import { endianness } from 'node:os'

/** Elements of a vector from base64 of them as big-endian float32, as the database sends them. */
export function elementsOf(base64: string): Float32Array<ArrayBuffer> {
  const bytes = Buffer.from(base64, 'base64')
  if (endianness() === 'LE') bytes.swap32()
  const elements = new Float32Array(bytes.length / 4)
  new Uint8Array(elements.buffer).set(bytes)
  return elements
}
