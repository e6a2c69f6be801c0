import type { MapCounts, MapHead, MapRow, MapWriter } from './map-columns.ts'

/** Steps per unit of a coordinate. One step is a hundredth of a pixel on the largest screen. */
const stepsPerUnit = 100_000
const numbersAtOnce = 20_000
/** For all different values of a field together. */
const maxValuesBytes = 8 * 2 ** 20

type NumbersFormat = 'json' | 'base64'

/** A growing list of numbers of 4 bytes each. */
class Numbers<Kind extends Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>> {
  readonly #make: (length: number) => Kind
  #values: Kind
  #size = 0

  constructor(make: (length: number) => Kind) {
    this.#make = make
    this.#values = make(1_024)
  }

  push(value: number): void {
    if (this.#size === this.#values.length) {
      const larger = this.#make(2 * this.#size)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#size] = value
    this.#size += 1
  }

  /**
   * As a JSON array, or as base64 in a JSON string. Assumes a little-endian machine, as all that
   * run this are.
   */
  *printed(format: NumbersFormat, steps: number): Generator<string> {
    yield format === 'json' ? '[' : '"'
    for (let at = 0; at < this.#size; ) {
      // Three bytes make four characters, so parts can be concatenated.
      const end = Math.min(this.#size, at + numbersAtOnce - (numbersAtOnce % 3))
      const part = this.#values.subarray(at, end)
      if (format === 'base64') {
        yield Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('base64')
      } else {
        const text = Array.from(part, (value) => Math.round(value * steps) / steps).join()
        yield at === 0 ? text : `,${text}`
      }
      at = end
    }
    yield format === 'json' ? ']' : '"'
  }
}

/** Writes one object with columns: text_ids as they come, the other columns after them. */
export class MapAsJson implements MapWriter {
  readonly #named: object
  readonly #format: NumbersFormat
  readonly #x = new Numbers((length) => new Float32Array(length))
  readonly #y = new Numbers((length) => new Float32Array(length))
  readonly #fields: {
    readonly path: string
    readonly column: ValueColumn
    readonly indexes: Numbers<Int32Array<ArrayBuffer>>
  }[]
  #isFirst = true

  /**
   * @param named the first fields of the object
   * @param paths in dot notation
   */
  constructor(named: object, paths: readonly string[], format: NumbersFormat) {
    this.#named = named
    this.#format = format
    this.#fields = paths.map((path) => ({
      path,
      column: new ValueColumn(),
      indexes: new Numbers((length) => new Int32Array(length)),
    }))
  }

  *begin({ revision, computedAt }: MapHead): Generator<string> {
    const head = {
      ...this.#named,
      ...(revision !== null && { revision }),
      ...(computedAt !== null && { computed_at: computedAt.toISOString() }),
    }
    yield `${JSON.stringify(head).slice(0, -1)},"text_ids":[`
  }

  *add(rows: readonly MapRow[]): Generator<string> {
    for (const { x, y, values } of rows) {
      this.#x.push(x)
      this.#y.push(y)
      for (const [at, { column, indexes }] of this.#fields.entries()) {
        indexes.push(column.add(values[at] ?? null))
      }
    }
    if (rows.length === 0) return
    const text = rows.map(({ textId }) => JSON.stringify(textId)).join()
    yield this.#isFirst ? text : `,${text}`
    this.#isFirst = false
  }

  *end({ count, missing, gone }: MapCounts): Generator<string> {
    yield '],"x":'
    yield* this.#x.printed(this.#format, stepsPerUnit)
    yield ',"y":'
    yield* this.#y.printed(this.#format, stepsPerUnit)
    yield ',"fields":['
    for (const [at, { path, column, indexes }] of this.#fields.entries()) {
      yield `${at === 0 ? '' : ','}{"path":${JSON.stringify(path)},"values":[`
      for (let from = 0; from < column.values.length; from += numbersAtOnce) {
        const text = column.values.slice(from, from + numbersAtOnce).join()
        yield from === 0 ? text : `,${text}`
      }
      yield '],"indexes":'
      yield* indexes.printed(this.#format, 1)
      yield `,"more_values":${column.hasMore}}`
    }
    yield `],"count":${count},"missing_count":${missing},"gone_count":${gone}}`
  }
}

/** The distinct values of a field, and which of them each row has. */
export class ValueColumn {
  readonly values: string[] = []
  /** Whether there was no room for some values. */
  hasMore = false
  readonly #numbers = new Map<string, number>()
  #bytes = 0

  /**
   * @param value JSON text
   * @returns the index of the value; -1 for none, or if there is no room
   */
  add(value: string | null): number {
    if (value === null) return -1
    const present = this.#numbers.get(value)
    if (present !== undefined) return present
    if (this.#bytes + value.length > maxValuesBytes) {
      this.hasMore = true
      return -1
    }
    this.#bytes += value.length
    this.values.push(value)
    this.#numbers.set(value, this.values.length - 1)
    return this.values.length - 1
  }
}
