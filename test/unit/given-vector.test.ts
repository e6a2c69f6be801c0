import { describe, expect, it } from 'vitest'
import { GivenVector, parseVectorBody } from '../../src/search/options.ts'

const parsed = (text: string) => Object(parseVectorBody(Buffer.from(text))).vector

describe('the vector of a body', () => {
  it.each([
    ['{"vector":[1,-0.5e-3, 2E2]}', '[1,-0.5e-3, 2E2]'],
    ['\uFEFF{"é":"]","vector":\n[ 1 ,\t2 ]\r\n}', '[ 1 ,\t2 ]'],
    ['{"vector":1,"vector":[1.50]}', '[1.50]'],
    ['{"vector":[0.10000000000000000000001]}', '[0.10000000000000000000001]'],
  ])('keeps its text: %s', (body, text) => {
    const vector = parsed(body)
    expect(vector).toBeInstanceOf(GivenVector)
    expect(vector.text).toBe(text)
    expect(vector.elements).toEqual(JSON.parse(text))
  })

  it.each([
    '{"vector":[9],"vector":[1.0,2]}',
    '{"other":[9],"vector":[1.0,2]}',
    '{"other":"[9]","vector":[1.0,2]}',
    '{"[9]":0,"vector":[1.0,2]}',
    '{"vector":[1.0,2],"other":"[9]"}',
  ])('is printed again where another bracket could be taken for its own: %s', (body) => {
    expect(parsed(body)).toEqual(new GivenVector([1, 2], '[1,2]'))
  })

  it.each([
    '{"vector":[1,"2"]}',
    '{"vector":[[1]]}',
    '{"vector":"[1]"}',
    '{"vector":null}',
  ])('is left as it is where it is none: %s', (body) => {
    expect(parseVectorBody(Buffer.from(body))).toEqual(JSON.parse(body))
  })

  it.each(['[1]', '1', 'null', '{"x":[1]}'])('is not looked for in %s', (body) => {
    expect(parseVectorBody(Buffer.from(body))).toEqual(JSON.parse(body))
  })
})
