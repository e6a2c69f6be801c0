import { FloatArrays, skipSpace } from './float-arrays.ts'

/** What stands where in a JSON text; nothing of it is parsed yet, but the numbers of its vectors. */
export interface Split {
  /** As they were sent. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Objects in lists in the outermost object: of each its first byte, and the byte behind its last. */
  readonly items: Float64Array<ArrayBuffer>
  /** Vectors of items: first byte, byte behind the last, number of elements. */
  readonly vectors: Float64Array<ArrayBuffer>
  /** The elements of all vectors, one after another. */
  readonly floats: Float32Array<ArrayBuffer>
  /** What is too much of it, and where reading ended because of that. */
  readonly excess: { readonly what: string; readonly byte: number } | undefined
}

/** More are sent in several requests, or as lines. */
export const maxItems = 100_000
/**
 * Members of objects, elements of arrays, objects and arrays that one item may hold, vectors aside: more than
 * fit into 256 KiB of metadata. The parser takes up to 60 ms for them, and up to 100 bytes for each.
 */
export const maxItemValues = 200_000
/** More than the longest text and metadata, each byte escaped by six. */
export const maxItemBytes = 8 * 1024 * 1024
/** Beside the items. */
const [maxOuterValues, maxOuterBytes] = [50_000, maxItemBytes]

/** Bytes of a vector that is worth it; the parser alone is quicker with shorter ones. */
const shortest = 64

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * Finds the items and their vectors in a JSON text. Accepts anything, and sees what the parser sees up to the
 * first error.
 */
export function splitJson(bytes: Buffer<ArrayBuffer>): Split {
  const arrays = new FloatArrays(bytes)
  const items: number[] = []
  const vectors: number[] = []
  const sizes = new Sizes()
  /** The brackets around this place. */
  const open: number[] = []
  let at = 0
  for (; at < bytes.length && sizes.excess === undefined; at += 1) {
    switch (bytes[at]) {
      case quote: {
        const start = inItem(open) ? vectorAfter(bytes, at) : -1
        const before = arrays.length
        const end = start === -1 ? -1 : arrays.read(start)
        if (end < start + shortest) {
          arrays.length = before
          at = endOfString(bytes, at)
        } else {
          vectors.push(start, end, arrays.length - before)
          sizes.leaveOut(end - start)
          at = end - 1
        }
        break
      }
      case comma:
        sizes.value()
        break
      case openObject:
      case openArray:
        sizes.value()
        open.push(bytes[at] ?? 0)
        if (open.length === 3 && inItem(open)) {
          items.push(at)
          sizes.beginItem(at)
        }
        break
      case closeObject:
      case closeArray:
        if (open.length === 3 && inItem(open)) {
          items.push(at + 1)
          sizes.endItem(at + 1)
        }
        open.pop()
    }
  }
  // One that does not end.
  if (items.length % 2 === 1) items.pop()
  sizes.end(bytes.length)
  const what = sizes.excess
  return {
    bytes,
    items: Float64Array.from(items),
    vectors: Float64Array.from(vectors),
    floats: arrays.floats.subarray(0, arrays.length),
    excess: what === undefined ? undefined : { what, byte: at - 1 },
  }
}

/** Counts what is within items and beside them, and finds what is too much. */
class Sizes {
  excess: string | undefined
  #items = 0
  #values = 0
  #outerValues = 0
  #outerBytes = 0
  /** Where the present item began; -1 beside them. */
  #began = -1
  /** Behind the item before. */
  #ended = 0

  value(): void {
    this.#values += 1
    if (this.#began !== -1 && this.#values > maxItemValues) {
      this.excess = `An item of a list may hold ${maxItemValues} values (members, elements, objects and arrays)`
    } else if (this.#began === -1 && this.#values > maxOuterValues + 2 * this.#items) {
      this.excess = `A body may hold ${maxOuterValues} values beside the items of its list`
    }
  }

  leaveOut(bytes: number): void {
    this.#began += bytes
  }

  beginItem(at: number): void {
    this.#items += 1
    this.#outerBytes += at - this.#ended
    this.#outerValues = this.#values
    this.#values = 0
    this.#began = at
    if (this.#items > maxItems) {
      this.excess = `A body may hold ${maxItems} items; send several, or lines`
    }
  }

  endItem(at: number): void {
    if (at - this.#began > maxItemBytes) {
      this.excess = `An item of a list may have ${maxItemBytes} bytes, its vector aside`
    }
    this.#values = this.#outerValues
    this.#began = -1
    this.#ended = at
  }

  end(at: number): void {
    if (this.excess !== undefined) return
    if (this.#began !== -1) this.endItem(at)
    if (this.#outerBytes + at - this.#ended - 2 * this.#items > maxOuterBytes) {
      this.excess ??= `A body may have ${maxOuterBytes} bytes beside the items of its list`
    }
  }
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
