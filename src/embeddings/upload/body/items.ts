import { randomBytes } from 'node:crypto'
import { createPause } from '../../../concurrency/yielding.ts'
import { badRequest, type ServiceError } from '../../../errors.ts'
import { isObject, parseText, refusalOf } from '../../../json/parse.ts'
import { jsonBytes, skipSpace } from '../../../json/scan.ts'
import { placesPerItem, type Split } from './split.ts'

/** How long items are parsed before other work has its turn. */
export const atOnceMs = 10

/** Parses the items of a text that was split. */
export class ItemReader {
  readonly count: number
  readonly #split: Split
  readonly #bytes: Buffer
  // Unknown to the client, whose own strings could otherwise pass for placeholders.
  readonly #mark = randomBytes(9).toString('base64')
  readonly #placeholder = Buffer.from(`"${this.#mark}"`)

  constructor(split: Split) {
    this.count = split.items.length / placesPerItem
    this.#split = split
    this.#bytes = Buffer.from(split.bytes.buffer, split.bytes.byteOffset, split.bytes.byteLength)
  }

  /** @throws SyntaxError or TypeError if the item is not JSON */
  item(index: number): unknown {
    const { items, floats } = this.#split
    const at = placesPerItem * index
    const [start, end, vectorStart, vectorEnd, first, behindLast] = items.subarray(
      at,
      at + placesPerItem,
    )
    if (vectorEnd === 0) return parseText(this.#bytes.subarray(start, end))
    const before = this.#bytes.subarray(start, vectorStart)
    const behind = this.#bytes.subarray(vectorEnd, end)
    const value = parseText(Buffer.concat([before, this.#placeholder, behind]))
    // Unless a later member of the same name has taken its place.
    if (isObject(value) && value['vector'] === this.#mark) {
      value['vector'] = floats.subarray(first, behindLast)
    }
    return value
  }

  /**
   * The body with placeholders for its items.
   * @throws 400 if it is not JSON
   */
  outer(): unknown {
    const placeholder = (index: number) => `"${this.#mark}${index}"`
    return this.#sound(() => parseText(replaced(this.#bytes, this.#spans(0), placeholder)))
  }

  /** What two of the places of each item enclose. */
  #spans(place: number): Span[] {
    const { items } = this.#split
    return Array.from({ length: this.count }, (_, index) => {
      const at = placesPerItem * index + place
      return { start: items[at] ?? 0, end: items[at + 1] ?? 0 }
    })
  }

  /**
   * The elements of a list of the body. All items are parsed on the way, so that the whole text is
   * known to be JSON.
   * @throws 400 if it is not
   */
  *elements(outer: readonly unknown[]): Generator<unknown, void> {
    let next = 0
    for (const element of outer) {
      const index = this.#indexOf(element)
      for (; index !== undefined && next < index; next += 1) this.#soundItem(next)
      if (index === undefined) yield element
      else yield this.#soundItem(next++)
    }
    for (; next < this.count; next += 1) this.#soundItem(next)
  }

  #indexOf(element: unknown): number | undefined {
    if (typeof element !== 'string' || !element.startsWith(this.#mark)) return undefined
    return Number(element.slice(this.#mark.length))
  }

  #soundItem = (index: number): unknown => this.#sound(() => this.item(index))

  #sound(parse: () => unknown): unknown {
    try {
      return parse()
    } catch {
      throw this.#refusal()
    }
  }

  /**
   * Searches the whole text, without its vectors, for the mistake: wrong brackets make items where
   * there are none.
   */
  #refusal(): ServiceError {
    const vectors = this.#spans(2).filter(({ end }) => end > 0)
    const instead = '[]'
    const text = replaced(this.#bytes, vectors, () => instead)
    return refusalOf(text, (byte) => {
      let sent = byte
      for (const { start, end } of vectors) {
        if (sent <= start) break
        sent += end - start - instead.length
      }
      return sent
    })
  }
}

interface Span {
  readonly start: number
  readonly end: number
}

/** A text with something else in place of each span. */
function replaced(
  bytes: Buffer,
  spans: readonly Span[],
  instead: (index: number) => string,
): Buffer {
  const parts: Uint8Array[] = []
  let from = 0
  for (const [index, { start, end }] of spans.entries()) {
    parts.push(bytes.subarray(from, start), Buffer.from(instead(index)))
    from = end
  }
  return Buffer.concat([...parts, bytes.subarray(from)])
}

/**
 * A list in a large body. Its items are parsed when they are asked for, so that they are never all
 * in memory, and other work runs in between.
 */
export class Items implements AsyncIterable<unknown> {
  readonly #elements: readonly unknown[]
  readonly #reader: ItemReader | undefined

  constructor(elements: readonly unknown[], reader?: ItemReader) {
    this.#elements = elements
    this.#reader = reader
  }

  get length(): number {
    return this.#elements.length
  }

  /** @throws 400 if the body is not JSON, even if the mistake is in another list */
  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
    const pause = createPause(atOnceMs)
    for (const value of this.#reader?.elements(this.#elements) ?? this.#elements) {
      await pause()
      yield value
    }
  }
}

/**
 * Parses a body. Lists in the outermost object become `Items`.
 * @throws 400 if it is not JSON, or exceeds a limit
 */
export async function readSplit(split: Split): Promise<unknown> {
  const { bytes, excess } = split
  if (excess !== undefined) {
    // A bare list is refused by the schema, whatever its size.
    if (bytes[skipSpace(bytes, 0)] === jsonBytes.openArray) return []
    throw badRequest(`${excess.what}: byte ${excess.byte.toLocaleString('en-US')}`)
  }
  const reader = new ItemReader(split)
  const outer = reader.outer()
  if (!isObject(outer)) return outer
  const lists = Object.entries(outer).filter(([, value]) => Array.isArray(value))
  // If a later member has the same name as the list, nobody asks for the items. They are checked
  // here, since they may not be JSON.
  if (lists.length === 0) for await (const _ of new Items([], reader));
  const entries = Object.entries(outer).map(([name, value]) => [
    name,
    Array.isArray(value) ? new Items(value, reader) : value,
  ])
  return Object.fromEntries(entries)
}
