import { describe, expect, it } from 'vitest'
import { Items, readSplit } from '../../src/embeddings/upload/body/items.ts'
import { maxItems, maxItemValues, splitJson } from '../../src/embeddings/upload/body/split.ts'
import { parseJson } from '../../src/json/parse.ts'
import { JsonTexts } from '../support/fuzz/json-texts.ts'

async function all(items: Items): Promise<unknown[]> {
  const values: unknown[] = []
  for await (const value of items) values.push(value)
  return values
}

/** With lists in place of their items. */
async function read(bytes: Buffer<ArrayBuffer>): Promise<unknown> {
  const value = await readSplit(splitJson(bytes))
  if (!isRecord(value)) return value
  const lists = Object.entries(value).map(async ([name, list]) => [
    name,
    list instanceof Items ? await all(list) : list,
  ])
  return Object.fromEntries(await Promise.all(lists))
}
const readText = (text: string) => read(Buffer.from(text))

const expected = (bytes: Buffer): unknown => parseJson(bytes, Number.POSITIVE_INFINITY)

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
async function outcome(parse: () => unknown): Promise<string> {
  try {
    return JSON.stringify(inFloat32(await parse()), (_, value: unknown) => {
      if (!(value instanceof Float32Array)) return Object.is(value, -0) ? 'minus zero' : value
      return { bits: [...new Uint32Array(new Float32Array(value).buffer)] }
    })
  } catch (error) {
    return String(error)
  }
}

const compare = async (bytes: Buffer<ArrayBuffer>) =>
  expect(await outcome(() => read(bytes)), bytes.toString()).toBe(
    await outcome(() => expected(bytes)),
  )

describe('the numbers of a vector', () => {
  it('are those of JSON.parse, rounded to float32', async () => {
    const texts = new JsonTexts(1)
    const numbers = Array.from({ length: 60_000 }, () => texts.number())
    const finite = numbers.filter((text) => Number.isFinite(Math.fround(Number(text))))
    expect(finite.length).toBeGreaterThan(40_000)
    const body = `{"embeddings":[{"vector":[${finite}]}]}`
    expect(await readText(body)).toEqual({
      embeddings: [{ vector: Float32Array.from(finite, Number) }],
    })
    for (const text of numbers.slice(0, 5_000)) {
      await compare(Buffer.from(`{"embeddings":[{"vector":[${text},${'1'.padEnd(60)}]}]}`))
    }
  })
})

const numbers = Array.from({ length: 5_000 }, (_, number) => number)

describe('a JSON text', () => {
  it('is read as JSON.parse does', async () => {
    for (const number of numbers) await compare(Buffer.from(new JsonTexts(number).body()))
  })

  it('that is damaged is refused with the same position', async () => {
    for (const number of numbers) {
      const texts = new JsonTexts(number)
      await compare(Buffer.from(texts.damaged(texts.body())))
    }
  })

  it('that ends within an item is refused with its place, however long the vector is', async () => {
    const item = `{"embeddings":[{"text_id":"x","vector":[${'0.25,'.repeat(300_000)}1]`
    for (const end of ['', ',"text":"cut', '}', '}]']) {
      await expect(readText(item + end)).rejects.toThrow('it ends too early: embeddings')
    }
  })

  it('may begin with a byte order mark', async () => {
    const long = Array<number>(40).fill(-0.25)
    await compare(Buffer.from(`\ufeff{"a":[{"vector":[${long}]}]}`))
    await compare(Buffer.from(`\ufeff{"a":[{"vector":[${long}],x}]}`))
  })

  it('may be deep', async () => {
    const depth = 40_000
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    await expect(readText(`{"a":${deep}}`)).resolves.toBeDefined()
  })

  it('may hold so many items, and so many values in each', async () => {
    const items = (count: number) => `{"a":[${'{"vector":[1]},'.repeat(count)}0]}`
    await expect(readText(items(maxItems))).resolves.toBeDefined()
    await expect(readText(items(maxItems + 1))).rejects.toThrow(`may hold ${maxItems} items`)
    // The inner list, and a comma behind each element but one.
    const item = (values: number) => `{"a":[0,{"b":[${'1,'.repeat(values - 1)}1]}]}`
    await expect(readText(item(maxItemValues)), 'most').resolves.toBeDefined()
    await expect(readText(item(maxItemValues + 1))).rejects.toThrow(
      /item .* may hold 200000 values/,
    )
    await expect(readText(`{"b":[${'1,'.repeat(60_000)}1]}`)).rejects.toThrow(
      'may hold 50000 values beside',
    )
    await expect(readText(`{"b":"${'long'.repeat(3 * 2 ** 20)}","a":[{}]}`)).rejects.toThrow(
      'may have 8388608 bytes beside',
    )
    const long = `{"a":[{"text":"${'long'.repeat(3 * 2 ** 20)}"}]}`
    await expect(readText(long)).rejects.toThrow('may have 8388608 bytes')
  })

  it('is known to be JSON where nobody reads it', async () => {
    const value = await readSplit(splitJson(Buffer.from('{"a":[{},1,{}],"b":[{"x":tru}]}')))
    const list = isRecord(value) && value['a'] instanceof Items ? value['a'] : new Items([])
    await expect(all(list)).rejects.toThrow('The body is not valid JSON: b[0].x')
  })
})
