import { endianness } from 'node:os'

/** Of the bytes of an element: here and nowhere else it matters in which order the machine has them. */
type ByteOrder = 'LE' | 'BE'
const native = endianness()

/** In pgvector's binary form, before the elements: int16 dimensions, int16 zero. */
const headerBytes = 4

const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Reads a vector from base64 of its elements as little-endian float32, one after another, as OpenAI's
 * `encoding_format: base64` gives them. It may be without the padding at its end.
 * @returns undefined for what is no such text
 */
export function vectorFromBase64(text: string): Float32Array<ArrayBuffer> | undefined {
  if (!base64Pattern.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  const unpadded = text.replace(/=+$/, '').length
  // Every three bytes are four characters; what is cut off has another length.
  if (bytes.length % 4 !== 0 || unpadded !== Math.ceil((bytes.length * 4) / 3)) return undefined
  return elementsIn(bytes, 'LE')
}

/** @returns the inverse of `vectorFromBase64` */
export function vectorToBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.byteLength)
  putElements(bytes, 0, vector, 'LE')
  return bytes.toString('base64')
}

/** A vector as `sentVector` of src/db/pgvector.ts has it. */
export const receivedVector = (base64: string): Float32Array<ArrayBuffer> =>
  elementsIn(Buffer.from(base64, 'base64').subarray(headerBytes), 'BE')

export const pgvectorSize = (vector: Float32Array): number => headerBytes + vector.byteLength

/** A vector as a binary parameter. */
export function pgvectorBytes(vector: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(pgvectorSize(vector))
  putPgvector(bytes, 0, vector)
  return bytes
}

/** Writes pgvector's binary form, which is big-endian. Source: pgvector `vector_recv`. @returns where it ends */
export function putPgvector(target: Buffer, at: number, vector: Float32Array): number {
  target.writeInt16BE(vector.length, at)
  target.writeInt16BE(0, at + 2)
  return putElements(target, at + headerBytes, vector, 'BE')
}

function elementsIn(bytes: Uint8Array, order: ByteOrder): Float32Array<ArrayBuffer> {
  const elements = new Float32Array(bytes.length / 4)
  const own = Buffer.from(elements.buffer)
  own.set(bytes)
  if (order !== native) own.swap32()
  return elements
}

function putElements(target: Buffer, at: number, vector: Float32Array, order: ByteOrder): number {
  const { buffer, byteOffset, byteLength } = vector
  target.set(new Uint8Array(buffer, byteOffset, byteLength), at)
  if (order !== native) target.subarray(at, at + byteLength).swap32()
  return at + byteLength
}
