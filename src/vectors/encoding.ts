import { endianness } from 'node:os'

/** Byte order of the elements. Only this file depends on the byte order of the machine. */
type ByteOrder = 'LE' | 'BE'
const native = endianness()

/** pgvector's binary form begins with the dimensions and a zero, both int16. */
const headerBytes = 4

const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Reads a vector from base64 of its consecutive elements as little-endian float32, as in OpenAI's
 * `encoding_format: base64`. The padding may be missing.
 * @returns undefined if the text is anything else
 */
export function vectorFromBase64(text: string): Float32Array<ArrayBuffer> | undefined {
  if (!base64Pattern.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  const unpadded = text.replace(/=+$/, '').length
  // Three bytes make four characters; a truncated text has another length.
  if (bytes.length % 4 !== 0 || unpadded !== Math.ceil((bytes.length * 4) / 3)) return undefined
  return elementsIn(bytes, 'LE')
}

/** @returns the inverse of `vectorFromBase64` */
export function vectorToBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.byteLength)
  putElements(bytes, 0, vector, 'LE')
  return bytes.toString('base64')
}

/** Decodes a vector that was read through `sentVector` of src/db/pgvector.ts. */
export const receivedVector = (base64: string): Float32Array<ArrayBuffer> =>
  elementsIn(Buffer.from(base64, 'base64').subarray(headerBytes), 'BE')

export const pgvectorSize = (vector: Float32Array): number => headerBytes + vector.byteLength

/** A vector as a binary query parameter. */
export function pgvectorBytes(vector: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(pgvectorSize(vector))
  putPgvector(bytes, 0, vector)
  return bytes
}

/**
 * Writes pgvector's binary form, which is big-endian. Source: pgvector `vector_recv`.
 * @returns where it ends
 */
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
