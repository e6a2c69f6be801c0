import { describe, expect, it } from 'vitest'
import { findJsonFault } from '../../src/json/fault.ts'
import { parseJson } from '../../src/json/parse.ts'
import { JsonTexts } from '../support/fuzz/json-texts.ts'

const refusalOf = (text: string) => {
  try {
    return parseJson(Buffer.from(text))
  } catch (error) {
    return Object(error).message
  }
}

describe('what is not JSON', () => {
  it.each([
    ['[NaN]', 'NaN is not JSON: [0], byte 1'],
    ['{"a":[1,-Infinity]}', '-Infinity is not JSON: a[1], byte 8'],
    ['{"a":{"b c":Infinity}}', 'Infinity is not JSON: a["b c"], byte 12'],
    ['{"a":None}', 'None is not JSON, null is: a, byte 5'],
    ['{"a":True}', 'True is not JSON, true is: a, byte 5'],
    ['{"a":nan}', 'nan is not JSON: a, byte 5'],
    ['[1,2 , ]', 'A trailing comma is not JSON: [2], byte 7'],
    ['{"a":{"b":1,\n}}', 'A trailing comma is not JSON: a, byte 13'],
    ["{'a':1}", 'Single quotes are not JSON: byte 1'],
    [`{"a":'x'}`, 'Single quotes are not JSON: a, byte 5'],
    ['{"a":1 // x\n}', 'A comment is not JSON: a, byte 7'],
    ['{"a":[1,2', 'The body is not valid JSON, it ends too early: a[1], byte 9'],
    ['{"a":"x', 'The body is not valid JSON, it ends too early: a, byte 7'],
    [`[${'1'.repeat(50)}.`, 'The body is not valid JSON, it ends too early: [0], byte 52'],
    ['["\\u12', 'The body is not valid JSON, it ends too early: [0], byte 6'],
    ['[truex]', 'The body is not valid JSON: [0], byte 1'],
    ['{"a":1}}', 'The body is not valid JSON, more follows behind its end: byte 7'],
    ['{"a":1} []', 'The body is not valid JSON, more follows behind its end: byte 8'],
    // Sent as lines already, or not meant as such.
    ['{"a":1}{"a":2}', 'The body is not valid JSON, more follows behind its end: byte 7'],
    ['{"a":1}\n7', 'The body is not valid JSON, more follows behind its end: byte 8'],
    ['{"a" 1}', 'The body is not valid JSON, a colon is missing: byte 5'],
    ['{"a":{"b":1,"c"', 'The body is not valid JSON, it ends too early: a, byte 15'],
    ['[1 2]', 'The body is not valid JSON, a comma or ] is missing: [0], byte 3'],
    ['{a:1}', 'The body is not valid JSON, a key must be in double quotes: byte 1'],
    ['[.5]', 'The body is not valid JSON, a number is written differently: [0], byte 1'],
    [
      '["\\x"]',
      'The body is not valid JSON, a string holds a line break, another control character or an unknown escape: [0], byte 1',
    ],
    ['{"ä":NaN}', 'NaN is not JSON: ["ä"], byte 6'],
    ['\ufeff[NaN]', 'NaN is not JSON: [0], byte 4'],
  ])('is named with its place: %s', (text, detail) => {
    expect(refusalOf(text)).toBe(detail)
  })

  it.each([
    ['before', '{"embeddings":[{},{"text_id":"x","vector":[1,NaN]}]}'],
    [
      'behind',
      '{"embeddings":[{},{"vector":[1,NaN], "text":"\\"text_id\\": \\"no\\"", "text_id": "x"}]}',
    ],
    ['nowhere but in the next item', '{"embeddings":[{},{"vector":[1,NaN]},{"text_id":"y"}]}'],
  ])('is named with the text_id of its item, which comes %s', (_, text) => {
    const named = text.includes('"x"') ? ", text_id 'x'" : ''
    const byte = text.indexOf('NaN')
    expect(refusalOf(text)).toBe(`NaN is not JSON: embeddings[1].vector[1]${named}, byte ${byte}`)
  })

  it('is never quoted, unless it is a well-known word', () => {
    const values = ['[secret]', '[nulsecret]', '[NaNsecret]', '["secret\n"]', "['secret']"]
    const instead = [
      ...['{"secret"}', '{"a":1,"secret" }', '{"a":{"b":"","secret","c":1}}', '{"secret"'],
    ]
    for (const text of [...values, ...instead]) {
      expect(refusalOf(text)).not.toContain('secret')
    }
  })

  it('has thousands separators where it is far', () => {
    const text = `{"a":"${'x'.repeat(2_000)}","b":NaN}`
    expect(refusalOf(text)).toBe('NaN is not JSON: b, byte 2,012')
  })

  it('is found where the parser finds it, and nothing else is', () => {
    for (let number = 0; number < 10_000; number += 1) {
      const texts = new JsonTexts(number)
      const text = number % 4 === 0 ? Buffer.from(texts.body()) : texts.damaged(texts.body())
      const decoded = new TextDecoder().decode(text)
      // Where it is not UTF-8 the parser gets to see other bytes.
      if (decoded.includes('\ufffd')) continue
      const fault = findJsonFault(text)
      const thrown = errorOf(decoded)
      expect(fault === undefined, decoded).toBe(thrown === undefined)
      const position = /at position (\d+)/.exec(String(thrown))?.[1]
      if (fault === undefined || position === undefined) continue
      // A string without an end has its mistake at the end, even if a part of it is wrong too.
      if (fault.what.endsWith('early')) continue
      // The parser reads on within strings, numbers and words.
      const distance = Buffer.byteLength(decoded.slice(0, Number(position))) - fault.byte
      expect(distance, `${decoded}: ${fault.what}`).toBeGreaterThanOrEqual(0)
      expect(distance, `${decoded}: ${fault.what}`).toBeLessThan(
        /number|string|JSON$/.test(fault.what) ? 1_000 : 1,
      )
    }
  })

  it('is not looked for at any distance, and not shown at any depth', () => {
    expect(refusalOf(`${'['.repeat(40_000)}NaN`)).toBe(
      `NaN is not JSON: ${'[0]'.repeat(32)} …, byte 40,000`,
    )
    expect(refusalOf(`["${'x'.repeat(4 * 1024 * 1024)}",NaN]`)).toBe('The body is not valid JSON')
  })
})

function errorOf(text: string): unknown {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error
  }
}
