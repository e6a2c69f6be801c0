import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { badRequest, type ServiceError } from '../../errors.ts'
import { parseText, refusalOf } from '../../json/parse.ts'
import { jsonBytes, skipSpace } from '../../json/scan.ts'
import type { Split } from './split.ts'

/** How long items are parsed before other work has its turn. */
const atOnceMs = 10

/**
 * A list in a large body. Its items are parsed when they are asked for, so that they are never all
 * in memory, and other work runs in between.
 */
export class Items implements AsyncIterable<unknown> {
  readonly #elements: readonly unknown[]
  readonly #read: ItemReader | undefined

  constructor(elements: readonly unknown[], read?: ItemReader) {
    this.#elements = elements
    this.#read = read
  }

  get length(): number {
    return this.#elements.length
  }

  /** @throws 400 if the body is not JSON, even if the mistake is in another list */
  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
    let began = performance.now()
    for (const value of this.#read?.values(this.#elements) ?? this.#elements) {
      if (performance.now() - began > atOnceMs) {
        await setImmediate()
        began = performance.now()
      }
      yield value
    }
  }
}

/**
 * Parses a JSON text. Lists in the outermost object become `Items`.
 * @throws 400 if it is not JSON, or exceeds a limit
 */
export async function readSplit(split: Split): Promise<unknown> {
  if (split.excess !== undefined) {
    // A bare list is refused by the schema, whatever its size.
    if (split.bytes[skipSpace(Buffer.from(split.bytes.buffer), 0)] === jsonBytes.openArray)
      return []
    throw tooMuch(split.excess)
  }
  const reader = new ItemReader(split)
  const outer = reader.outer()
  if (typeof outer !== 'object' || outer === null || Array.isArray(outer)) return outer
  const entries = Object.entries(outer)
  // If a later member has the same name as the list, nobody asks for the items. They are checked
  // here, since they may not be JSON.
  if (!entries.some(([, value]) => Array.isArray(value))) {
    for await (const _ of new Items([], reader));
  }
  const withLists = entries.map(([name, value]) => [
    name,
    Array.isArray(value) ? new Items(value, reader) : value,
  ])
  return Object.fromEntries(withLists)
}

const tooMuch = ({ what, byte }: { readonly what: string; readonly byte: number }) =>
  badRequest(`${what}: byte ${byte.toLocaleString('en-US')}`)

/** Parses the items of a text one after another. */
class ItemReader {
  readonly #split: Split
  readonly #bytes: Buffer
  // Unknown to the client, whose own strings could otherwise pass for placeholders.
  readonly #mark = randomBytes(9).toString('base64')

  constructor(split: Split) {
    this.#split = split
    this.#bytes = Buffer.from(split.bytes.buffer, split.bytes.byteOffset, split.bytes.byteLength)
  }

  /** The body with a placeholder for each item. */
  outer(): unknown {
    const { items } = this.#split
    const count = items.length / 2
    const spans = Array.from({ length: count }, (_, item) => spanAt(items, 2 * item))
    return this.#parse(this.#without(spans, 0, this.#bytes.length))
  }

  /**
   * The elements of a list. All items are parsed on the way, so that the whole text is known to be
   * JSON.
   */
  *values(elements: readonly unknown[]): Generator<unknown, void> {
    const next = this.#inTurn()
    const count = this.#split.items.length / 2
    let parsed = 0
    for (const element of elements) {
      const place = this.#placeOf(element)
      for (; place !== undefined && parsed < place; parsed += 1) next()
      if (place === undefined) yield element
      else yield next()
      if (place !== undefined) parsed = place + 1
    }
    for (; parsed < count; parsed += 1) next()
  }

  /** @returns a function that parses the next item */
  #inTurn(): () => unknown {
    const { items, vectors, floats } = this.#split
    let [item, vector, float] = [0, 0, 0]
    return () => {
      const { start, end } = spanAt(items, 2 * item++)
      const spans: Span[] = []
      const given = new Map<unknown, Float32Array>()
      for (; (vectors[vector] ?? end) < end; vector += 3) {
        const length = vectors[vector + 2] ?? 0
        given.set(this.#placeholder(spans.length), floats.subarray(float, float + length))
        spans.push(spanAt(vectors, vector))
        float += length
      }
      const value = this.#parse(this.#without(spans, start, end))
      if (typeof value !== 'object' || value === null) return value
      const found = given.get(Reflect.get(value, 'vector'))
      if (found !== undefined) Reflect.set(value, 'vector', found)
      return value
    }
  }

  #placeholder = (index: number) => `${this.#mark}${index}`

  #placeOf(element: unknown): number | undefined {
    if (typeof element !== 'string' || !element.startsWith(this.#mark)) return undefined
    return Number(element.slice(this.#mark.length))
  }

  /** A part of the text, with placeholders for these spans. */
  #without(spans: readonly Span[], start: number, end: number): Buffer {
    const parts: Uint8Array[] = []
    let from = start
    for (const [index, span] of spans.entries()) {
      const placeholder = Buffer.from(`"${this.#placeholder(index)}"`)
      parts.push(this.#bytes.subarray(from, span.start), placeholder)
      from = span.end
    }
    return Buffer.concat([...parts, this.#bytes.subarray(from, end)])
  }

  #parse(text: Buffer): unknown {
    try {
      return parseText(text)
    } catch {
      throw this.#refusal()
    }
  }

  /**
   * Searches the whole text for the mistake, because wrong brackets make items where there are
   * none.
   */
  #refusal(): ServiceError {
    const { vectors } = this.#split
    const count = vectors.length / 3
    const spans = Array.from({ length: count }, (_, index) => spanAt(vectors, 3 * index))
    const text = this.#without(spans, 0, this.#bytes.length)
    return refusalOf(text, (byte) => {
      let sent = byte
      for (const [index, { start, end }] of spans.entries()) {
        if (sent <= start) break
        sent += end - start - this.#placeholder(index).length - 2
      }
      return sent
    })
  }
}

interface Span {
  readonly start: number
  readonly end: number
}

const spanAt = (places: Float64Array, at: number): Span => ({
  start: places[at] ?? 0,
  end: places[at + 1] ?? 0,
})
