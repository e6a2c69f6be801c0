import { describe, expect, it } from 'vitest'
import { splitJson } from '../../src/embeddings/upload-body/split.ts'
import { jsonValue } from '../../src/embeddings/upload-body/value.ts'
import { parseJson } from '../../src/json/parse.ts'
import { JsonTexts } from '../support/data/json-texts.ts'
import { sampledCount } from '../support/run/full-run.ts'

const read = (bytes: Buffer<ArrayBuffer>): unknown => jsonValue(splitJson(bytes))
const readText = (text: string) => read(Buffer.from(text))

const expected = (bytes: Buffer): unknown => parseJson(bytes)

/** With the vectors in float32 that are left to the validation, because of an odd spelling of the key. */
function inFloat32(value: unknown): unknown {
  const lists: unknown[] = isRecord(value) ? Object.values(value) : []
  for (const item of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    if (isRecord(item) && isFloat32(item['vector'])) {
      item['vector'] = Float32Array.from(item['vector'])
    }
  }
  return value
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isFloat32 = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((number) => typeof number === 'number' && Number.isFinite(Math.fround(number)))

/** The value or the error as text, float32 elements as their bits. */
function outcome(parse: () => unknown): string {
  try {
    return JSON.stringify(inFloat32(parse()), (_, value: unknown) => {
      if (!(value instanceof Float32Array)) return Object.is(value, -0) ? 'minus zero' : value
      return { bits: [...new Uint32Array(new Float32Array(value).buffer)] }
    })
  } catch (error) {
    return String(error)
  }
}

const compare = (bytes: Buffer<ArrayBuffer>) =>
  expect(
    outcome(() => read(bytes)),
    bytes.toString(),
  ).toBe(outcome(() => expected(bytes)))

describe('the numbers of a vector', () => {
  it('are those of JSON.parse, rounded to float32', () => {
    const texts = new JsonTexts(1)
    const numbers = Array.from({ length: 60_000 }, () => texts.number())
    const finite = numbers.filter((text) => Number.isFinite(Math.fround(Number(text))))
    expect(finite.length).toBeGreaterThan(40_000)
    const body = `{"embeddings":[{"vector":[${finite}]}]}`
    expect(readText(body)).toEqual({ embeddings: [{ vector: Float32Array.from(finite, Number) }] })
    for (const text of numbers.slice(0, 5_000)) {
      compare(Buffer.from(`{"embeddings":[{"vector":[${text},${'1'.padEnd(60)}]}]}`))
    }
  })

  it('have their sign, also zeros', () => {
    const vector = `[0, -0, -0.0, 0e5, -1e-60${',1'.repeat(30)}]`
    expect(readText(`{"a":[{"vector":${vector}}]}`)).toEqual({
      a: [{ vector: Float32Array.of(0, -0, -0, 0, -0, ...Array<number>(30).fill(1)) }],
    })
  })

  it('are refused in any other notation', () => {
    const texts = new JsonTexts(2)
    for (let left = 500; left > 0; left -= 1) {
      const text = `{"embeddings":[{"vector":[${'1'.padEnd(60)},${texts.noNumber()},2]}]}`
      expect(() => readText(text), text).toThrow(/^(NaN|Infinity|The body) is not (valid )?JSON/)
      compare(Buffer.from(text))
    }
  })

  it('that float32 does not hold are left as they are', () => {
    for (const number of ['1e39', '-1e39', '1e400', '3.4028235677973366e38']) {
      const ones = Array<number>(40).fill(1)
      const vector = [...ones, Number(number)]
      expect(readText(`{"a":[{"vector":[${ones},${number}]}]}`)).toEqual({ a: [{ vector }] })
    }
  })
})

const whole = sampledCount('JSON texts', 10_000, 5)
const damaged = sampledCount('damaged JSON texts', 20_000, 5)

describe('a JSON text', () => {
  it('is read as JSON.parse does', () => {
    const texts = new JsonTexts(3)
    for (let left = whole; left > 0; left -= 1) compare(Buffer.from(texts.body()))
  })

  it('that is damaged is refused with the same position', () => {
    const texts = new JsonTexts(4)
    for (let left = damaged; left > 0; left -= 1) {
      compare(Buffer.from(texts.damaged(texts.body())))
    }
  })

  it('may begin with a byte order mark', () => {
    const long = Array<number>(40).fill(-0.25)
    compare(Buffer.from(`\ufeff{"a":[{"vector":[${long}]}]}`))
    compare(Buffer.from(`\ufeff{"a":[{"vector":[${long}],x}]}`))
  })

  it('has vectors in the items of a list alone', () => {
    const vector = Array<number>(40).fill(0.5)
    for (const other of [{ vector }, [{ vector }], { a: { vector } }, { a: [[{ vector }]] }]) {
      expect(readText(JSON.stringify(other))).toEqual(other)
    }
    expect(readText(JSON.stringify({ a: [{ vector }] }))).not.toEqual({ a: [{ vector }] })
  })

  it('may be deep', () => {
    const depth = 100_000
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(outcome(() => (readText(`{"a":${deep}}`) === null ? 0 : 1))).toBe('1')
  })

  it('may hold a million objects and arrays, vectors among them', () => {
    const items = (count: number) => `{"a":[${'{"vector":[1]},'.repeat(count)}0]}`
    expect(() => readText(items(499_999))).not.toThrow()
    expect(() => readText(items(500_000))).toThrow('more than 1000000 objects and arrays')
  })
})
