import { describe, expect, it } from 'vitest'
import { parseVectorBody } from '../../src/search/options.ts'
import { forEachVariant } from '../../src/search/query.ts'
import { newQuery } from '../support/data/query.ts'

const parsed = (text: string) => Object(parseVectorBody(Buffer.from(text))).vector

describe('the vector of a body', () => {
  it.each([
    ['{"vector":[1,-0.5e-3, 2E2]}', '[1,-0.5e-3, 2E2]'],
    ['\uFEFF{"é":"]","vector":\n[ 1 ,\t2 ]\r\n}', '[ 1 ,\t2 ]'],
    ['{"vector":1,"vector":[1.50]}', '[1.50]'],
    ['{"vector":[0.10000000000000000000001]}', '[0.10000000000000000000001]'],
    ['{"other":[9],"vector":[1.0,2]}', '[1.0,2]'],
    ['{"[9]":"[9]","vector":[1.0,2],"other":["9"]}', '[1.0,2]'],
  ])('is read as float32: %s', (body, text) =>
    expect(parsed(body)).toEqual(Float32Array.from(JSON.parse(text))),
  )

  it.each([
    ...['{"vector":[9],"vector":[1.0,2]}', '{"inner":{"vector":[9]},"vector":[1.0,2]}'],
    '{"other":"\\"vector\\":[9]","vector":[1.0,2]}',
    ...['{"other":"vector","x":[9],"vector":[1.0,2]}', '{"vect\\u006fr":[1.0,2]}'],
  ])('is found where another array could be taken for it: %s', (body) => {
    expect(Array.from(parsed(body))).toEqual([1, 2])
  })

  it.each([
    ['{"vector":[1e39]}', [1e39]],
    ['{"vector":[]}', []],
  ])('keeps what float32 cannot hold: %s', (body, elements) => {
    expect(parsed(body)).toEqual(elements)
  })

  it.each([...['{"vector":[1,2],}', '{"vector":[1,2]', '{"vector":[1,,2]}', '{"vector":[01]}']])(
    'does not hide that a body is no JSON: %s',
    (body) => expect(() => parsed(body)).toThrow(/not valid JSON|byte/),
  )

  it.each([...['{"vector":[1,"2"]}', '{"vector":[[1]]}', '{"vector":"[1]"}', '{"vector":null}']])(
    'is left as it is where it is none: %s',
    (body) => {
      expect(parseVectorBody(Buffer.from(body))).toEqual(JSON.parse(body))
    },
  )

  it.each(['[1]', '1', 'null', '{"x":[1]}'])('is not looked for in %s', (body) => {
    expect(parseVectorBody(Buffer.from(body))).toEqual(JSON.parse(body))
  })
})

it('is printed for the database only if a statement asks for it', async () => {
  let printed = 0
  const query = {
    ...newQuery({ collectionId: 1, dimensions: 2 }, [1, 2]),
    get vector() {
      printed += 1
      return '[1,2]'
    },
  }
  const reading = (...names: string[]) =>
    forEachVariant(() => ({
      execute: async (values) => names.map((name) => values[name]),
    }))(query, {}, { listedIds: '[]' })
  expect(await reading('collectionId', 'dimensions', 'listedIds')).toEqual([1, 2, '[]'])
  expect(printed).toBe(0)
  expect(await reading('vector')).toEqual(['[1,2]'])
  expect(printed).toBe(1)
})
