import { FloatArrays } from '../../../json/float-arrays.ts'
import { endOfString, jsonBytes, skipSpace } from '../../../json/scan.ts'

/** Where things are in a JSON text, of which only the numbers of vectors are parsed. */
export interface Split {
  /** As sent. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /**
   * Six numbers for each item: the positions of its first byte and after its last, the same of its
   * vector, and where the vector's elements begin and end in `floats`. Without a vector, the last
   * four are 0.
   */
  readonly items: Float64Array<ArrayBuffer>
  /** The elements of all vectors, one after another. */
  readonly floats: Float32Array<ArrayBuffer>
  /** Which limit was exceeded, and where reading ended because of that. */
  readonly excess: { readonly what: string; readonly byte: number } | undefined
}

export const placesPerItem = 6

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
const maxOuterValues = 50_000
const maxOuterBytes = maxItemBytes

/** Bytes of the shortest vector to read here. For shorter ones, the JSON parser alone is faster. */
const shortest = 64

const { quote, comma, colon, lineFeed } = jsonBytes
const { openArray, closeArray, openObject, closeObject } = jsonBytes

/**
 * Finds the items of a body and their vectors. Items are the objects in lists in the outermost
 * object. It accepts any text, and agrees with the parser up to the first error.
 */
export function splitJson(bytes: Buffer<ArrayBuffer>): Split {
  const scanner = new ItemScanner(bytes)
  /** The open brackets around the current position. */
  const open: number[] = []
  let values = 0
  let outerBytes = bytes.length
  for (let at = 0; at < bytes.length && scanner.excess === undefined; at += 1) {
    switch (bytes[at]) {
      case quote:
        at = endOfString(bytes, at) - 1
        break
      case comma:
        values += 1
        break
      case openObject:
      case openArray:
        values += 1
        if (bytes[at] === openObject && isListOfItems(open)) {
          const end = scanner.scan(at, bytes.length)
          outerBytes -= end - at
          at = end - 1
        } else {
          open.push(bytes[at] ?? 0)
        }
        break
      case closeObject:
      case closeArray:
        open.pop()
    }
    // Outside, each item has a bracket and a comma.
    if (values > maxOuterValues + 2 * scanner.count) {
      scanner.exceed(`A body may hold ${maxOuterValues} values beside the items of its list`, at)
    }
  }
  if (outerBytes - 2 * scanner.count > maxOuterBytes) {
    scanner.exceed(
      `A body may have ${maxOuterBytes} bytes beside the items of its list`,
      bytes.length - 1,
    )
  }
  return scanner.split()
}

/** Finds the vectors of items that are given one a line. Every line counts as an item. */
export function splitLines(bytes: Buffer<ArrayBuffer>): Split {
  const scanner = new ItemScanner(bytes)
  for (let start = 0; start < bytes.length && scanner.excess === undefined; ) {
    const feed = bytes.indexOf(lineFeed, start)
    const end = feed === -1 ? bytes.length : feed
    scanner.scan(start, end, true)
    start = end + 1
  }
  return scanner.split()
}

const isListOfItems = (open: readonly number[]) =>
  open.length === 2 && open[0] === openObject && open[1] === openArray

/** Scans items, records where they and their vectors are, and checks the limits. */
class ItemScanner {
  count = 0
  excess: Split['excess']
  readonly #bytes: Buffer<ArrayBuffer>
  readonly #arrays: FloatArrays
  readonly #places: number[] = []

  constructor(bytes: Buffer<ArrayBuffer>) {
    this.#bytes = bytes
    this.#arrays = new FloatArrays(bytes)
  }

  /** The first limit that is exceeded is the one to report. */
  exceed(what: string, byte: number): void {
    this.excess ??= { what, byte }
  }

  split(): Split {
    return {
      bytes: this.#bytes,
      items: Float64Array.from(this.#places),
      floats: this.#arrays.floats.subarray(0, this.#arrays.length),
      excess: this.excess,
    }
  }

  /**
   * Scans an item. One that is not closed is recorded as an empty one.
   * @param isLine whether the item has all bytes up to the limit, whatever they are
   * @returns where it ends, at most `limit`
   */
  scan(start: number, limit: number, isLine = false): number {
    const bytes = this.#bytes
    let vector: readonly [start: number, end: number, first: number, behindLast: number] | undefined
    let depth = 0
    // The item itself does not count.
    let values = -1
    let at = start
    for (let isOpen = true; isOpen && at < limit; at += 1) {
      switch (bytes[at]) {
        case quote: {
          const value = depth === 1 && vector === undefined ? this.#vectorAt(at, limit) : undefined
          vector ??= value
          at = (value?.[1] ?? endOfString(bytes, at)) - 1
          break
        }
        case comma:
          values += 1
          break
        case openObject:
        case openArray:
          values += 1
          depth += 1
          break
        case closeObject:
        case closeArray:
          depth -= 1
          isOpen = isLine || depth > 0
      }
      if (values > maxItemValues) {
        const what = `An item of a list may hold ${maxItemValues} values (members, elements, objects and arrays)`
        this.exceed(what, at)
        return at
      }
    }
    const end = Math.min(at, limit)
    const [vectorStart, vectorEnd] = vector ?? [0, 0]
    if (end - start - (vectorEnd - vectorStart) > maxItemBytes) {
      this.exceed(`An item of a list may have ${maxItemBytes} bytes, its vector aside`, end - 1)
    }
    // If an item is not closed, the text is not JSON. The search for the mistake leaves out its vector.
    const isClosed = isLine || depth === 0
    this.#places.push(isClosed ? start : end, end, ...(vector ?? [0, 0, 0, 0]))
    this.count += 1
    if (this.count > maxItems) {
      this.exceed(`A body may hold ${maxItems} items; send several, or lines`, start)
    }
    return end
  }

  /**
   * Reads the vector that is the value of the key at this quote.
   * @returns undefined if it is none, too short, or goes beyond the limit
   */
  #vectorAt(quoteAt: number, limit: number) {
    const bytes = this.#bytes
    if (bytes[quoteAt + 1] !== 0x76) return undefined
    if (bytes.toString('latin1', quoteAt, quoteAt + 8) !== '"vector"') return undefined
    const behindKey = skipSpace(bytes, quoteAt + 8)
    if (bytes[behindKey] !== colon) return undefined
    const start = skipSpace(bytes, behindKey + 1)
    if (bytes[start] !== openArray) return undefined
    const first = this.#arrays.length
    const end = this.#arrays.read(start)
    if (end >= start + shortest && end <= limit) {
      return [start, end, first, this.#arrays.length] as const
    }
    this.#arrays.length = first
    return undefined
  }
}
