import { endOfString, jsonBytes, skipSpace } from '../../json/scan.ts'
import { FloatArrays } from './float-arrays.ts'

/** Where things are in a JSON text, of which only the numbers of vectors are parsed. */
export interface Split {
  /** As sent. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /**
   * Objects in lists in the outermost object: positions of the first byte and after the last, for
   * each.
   */
  readonly items: Float64Array<ArrayBuffer>
  /**
   * Vectors of items: positions of the first byte and after the last, and the number of elements.
   */
  readonly vectors: Float64Array<ArrayBuffer>
  /** The elements of all vectors, one after another. */
  readonly floats: Float32Array<ArrayBuffer>
  /** Which limit was exceeded, and where reading ended because of that. */
  readonly excess: { readonly what: string; readonly byte: number } | undefined
}

/** Larger uploads need several requests, or lines. */
export const maxItems = 100_000
/**
 * How many values (members of objects, elements of arrays, objects and arrays) one item may hold
 * besides its vector: more than fit into 256 KiB of metadata. The parser takes up to 60 ms for so
 * many, and up to a hundred bytes for each.
 */
export const maxItemValues = 200_000
/** More than the longest text and metadata with six bytes for each escaped byte. */
export const maxItemBytes = 8 * 1024 * 1024
/** Limits for everything outside the items. */
const [maxOuterValues, maxOuterBytes] = [50_000, maxItemBytes]

/** Bytes of the shortest vector to read here. For shorter ones, the JSON parser alone is faster. */
const shortest = 64

const { quote, comma, colon, openArray, closeArray, openObject, closeObject } = jsonBytes
/**
 * Finds the items and their vectors in a JSON text. It accepts any text, and agrees with the parser
 * up to the first error.
 */
export function splitJson(bytes: Buffer<ArrayBuffer>): Split {
  const arrays = new FloatArrays(bytes)
  const contents = new Contents()
  /** The open brackets around the current position. */
  const open: number[] = []
  let at = 0
  for (; at < bytes.length && contents.excess === undefined; at += 1) {
    switch (bytes[at]) {
      case quote: {
        const end = inItem(open) ? endOfVector(bytes, at, arrays, contents) : -1
        at = (end === -1 ? endOfString(bytes, at) : end) - 1
        break
      }
      case comma:
        contents.value()
        break
      case openObject:
      case openArray:
        contents.value()
        open.push(bytes[at] ?? 0)
        if (inItem(open)) contents.beginItem(at)
        break
      case closeObject:
      case closeArray:
        if (inItem(open)) contents.endItem(at + 1)
        open.pop()
    }
  }
  contents.end(bytes.length)
  return {
    bytes,
    items: Float64Array.from(contents.items),
    vectors: Float64Array.from(contents.vectors),
    floats: arrays.floats.subarray(0, arrays.length),
    excess: contents.excess === undefined ? undefined : { what: contents.excess, byte: at - 1 },
  }
}

/**
 * Records where items and vectors are, counts values inside and outside items, and checks the
 * limits.
 */
class Contents {
  excess: string | undefined
  /** Beginning and end of each. */
  readonly items: number[] = []
  /** Beginning, end and number of elements of each. */
  readonly vectors: number[] = []
  #count = 0
  #values = 0
  #outerValues = 0
  #outerBytes = 0
  /** Where the current item began; -1 outside items. */
  #began = -1
  /** Where the previous item ended. */
  #ended = 0

  value(): void {
    this.#values += 1
    if (this.#began !== -1 && this.#values > maxItemValues) {
      this.excess = `An item of a list may hold ${maxItemValues} values (members, elements, objects and arrays)`
    } else if (this.#began === -1 && this.#values > maxOuterValues + 2 * this.#count) {
      this.excess = `A body may hold ${maxOuterValues} values beside the items of its list`
    }
  }

  /** The bytes of a vector do not count towards its item. */
  vector(start: number, end: number, length: number): void {
    this.vectors.push(start, end, length)
    this.#began += end - start
  }

  beginItem(at: number): void {
    this.items.push(at)
    this.#count += 1
    this.#outerBytes += at - this.#ended
    this.#outerValues = this.#values
    this.#values = 0
    this.#began = at
    if (this.#count > maxItems) {
      this.excess = `A body may hold ${maxItems} items; send several, or lines`
    }
  }

  endItem(at: number): void {
    this.items.push(at)
    this.#leaveItem(at)
  }

  #leaveItem(at: number): void {
    if (at - this.#began > maxItemBytes) {
      this.excess = `An item of a list may have ${maxItemBytes} bytes, its vector aside`
    }
    this.#values = this.#outerValues
    this.#began = -1
    this.#ended = at
  }

  end(at: number): void {
    // An item that does not end.
    if (this.items.length % 2 === 1) this.items.pop()
    if (this.excess !== undefined) return
    if (this.#began !== -1) this.#leaveItem(at)
    if (this.#outerBytes + at - this.#ended - 2 * this.#count > maxOuterBytes) {
      this.excess ??= `A body may have ${maxOuterBytes} bytes beside the items of its list`
    }
  }
}

const inItem = (open: number[]) =>
  open.length === 3 && open[0] === openObject && open[1] === openArray && open[2] === openObject

/**
 * Reads the vector that is the value of this key.
 * @returns where it ends; -1 if there is no vector, or too short a one
 */
function endOfVector(bytes: Buffer, quoteAt: number, arrays: FloatArrays, contents: Contents) {
  if (bytes[quoteAt + 1] !== 0x76) return -1
  if (bytes.toString('latin1', quoteAt, quoteAt + 8) !== '"vector"') return -1
  const behindKey = skipSpace(bytes, quoteAt + 8)
  if (bytes[behindKey] !== colon) return -1
  const start = skipSpace(bytes, behindKey + 1)
  if (bytes[start] !== openArray) return -1
  const before = arrays.length
  const end = arrays.read(start)
  if (end < start + shortest) {
    arrays.length = before
    return -1
  }
  contents.vector(start, end, arrays.length - before)
  return end
}
