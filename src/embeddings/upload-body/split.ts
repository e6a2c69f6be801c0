import { randomBytes } from 'node:crypto'
import { FloatArrays, skipSpace } from './float-arrays.ts'

/** Where a vector was in a JSON text. */
export interface Span {
  /** In bytes; `end` is behind its last one. */
  readonly start: number
  readonly end: number
  /** Its number of elements. */
  readonly length: number
}

/** A JSON text with placeholders for its vectors, and their elements one after another. */
export interface Split {
  readonly skeleton: Uint8Array<ArrayBuffer>
  /** What placeholders begin with. */
  readonly mark: string
  readonly spans: readonly Span[]
  readonly floats: Float32Array<ArrayBuffer>
  /** How many objects and arrays the text holds. */
  readonly containers: number
}

/** Millions of tiny objects take the parser minutes and gigabytes; no real batch comes near. */
export const maxContainers = 1_000_000

/** Bytes of a vector that is worth it; the parser alone is quicker with shorter ones. */
const shortest = 64

export const placeholder = (mark: string, index: number) => `"${mark}${index}"`

const [quote, backslash, openObject, openArray] = [0x22, 0x5c, 0x7b, 0x5b]

/**
 * Takes the vectors out of a JSON text: long arrays of float32 numbers that are the value of
 * "vector" in an object in an array in the outermost object. Accepts anything, and sees what the
 * parser sees up to the first error: placeholders change neither what is JSON nor where it ends.
 * @returns the split of all bytes, or what came before too many containers
 */
export function splitJson(bytes: Buffer<ArrayBuffer>): Split {
  const arrays = new FloatArrays(bytes)
  const spans: Span[] = []
  /** The brackets around this place. */
  const open: number[] = []
  let containers = 0
  for (let at = 0; at < bytes.length && containers <= maxContainers; at += 1) {
    switch (bytes[at]) {
      case quote: {
        const start = inItem(open) ? vectorAfter(bytes, at) : -1
        const before = arrays.length
        const end = start === -1 ? -1 : arrays.read(start)
        if (end < start + shortest) {
          arrays.length = before
          at = endOfString(bytes, at)
        } else {
          spans.push({ start, end, length: arrays.length - before })
          containers += 1
          at = end - 1
        }
        break
      }
      case openObject:
      case openArray:
        containers += 1
        open.push(bytes[at] ?? 0)
        break
      case 0x7d:
      case 0x5d:
        open.pop()
    }
  }
  // Not known to the client, whose own strings could else pass for placeholders.
  const mark = spans.length === 0 ? '' : randomBytes(9).toString('base64')
  const floats = arrays.floats.subarray(0, arrays.length)
  return { skeleton: withoutVectors(bytes, spans, mark), mark, spans, floats, containers }
}

const inItem = (open: number[]) =>
  open.length === 3 && open[0] === openObject && open[1] === openArray && open[2] === openObject

/** @returns where the array begins that is the value of this key; -1 when it is no vector */
function vectorAfter(bytes: Buffer, quoteAt: number): number {
  if (bytes[quoteAt + 1] !== 0x76) return -1
  if (bytes.toString('latin1', quoteAt, quoteAt + 8) !== '"vector"') return -1
  const colon = skipSpace(bytes, quoteAt + 8)
  if (bytes[colon] !== 0x3a) return -1
  const start = skipSpace(bytes, colon + 1)
  return bytes[start] === openArray ? start : -1
}

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1
  for (; at < bytes.length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1
  return at
}

function withoutVectors(
  bytes: Buffer<ArrayBuffer>,
  spans: readonly Span[],
  mark: string,
): Uint8Array<ArrayBuffer> {
  if (spans.length === 0) return bytes
  const marks = spans.map((_, index) => Buffer.from(placeholder(mark, index)))
  let size = bytes.length
  for (const [index, { start, end }] of spans.entries()) {
    size += (marks[index]?.length ?? 0) - (end - start)
  }
  // Not a Buffer, which may be a piece of a shared one and could not be handed to another thread.
  const skeleton = new Uint8Array(size)
  let from = 0
  let to = 0
  const append = (piece: Uint8Array) => {
    skeleton.set(piece, to)
    to += piece.length
  }
  for (const [index, { start, end }] of spans.entries()) {
    append(bytes.subarray(from, start))
    append(marks[index] ?? Buffer.alloc(0))
    from = end
  }
  append(bytes.subarray(from))
  return skeleton
}
