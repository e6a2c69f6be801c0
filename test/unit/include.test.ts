import { describe, expect, it } from 'vitest'
import { IncludeInBody, includeParameter, vectorFormat } from '../../src/embeddings/schemas.ts'

const parameter = includeParameter('Without it: all.')
const messageOf = (value: unknown, schema: typeof parameter | typeof IncludeInBody = parameter) =>
  schema.safeParse(value).error?.issues.map(({ message }) => message)

describe('include', () => {
  it.each([
    ['', { text: false, metadata: false, vector: false }],
    ['text', { text: true, metadata: false, vector: false }],
    ['vector,text', { text: true, metadata: false, vector: true }],
    ['metadata, vector ,text', { text: true, metadata: true, vector: true }],
    ['text,text', { text: true, metadata: false, vector: false }],
  ])('takes %o', (value, parts) => {
    expect(parameter.parse(value)).toEqual(parts)
    const names = value === '' ? [] : value.split(',').map((name) => name.trim())
    expect(IncludeInBody.parse(names)).toEqual(parts)
  })

  it('tells not given from empty', () => {
    expect(parameter.parse(undefined)).toBeUndefined()
  })

  it('says what a misspelt name was meant to be', () => {
    const message = "has no 'metdata'; did you mean metadata?"
    expect(messageOf('text,metdata')).toEqual([`include ${message}`])
    // The answer puts the name of the field before it.
    expect(messageOf(['metdata'], IncludeInBody)).toEqual([message])
  })

  it.each([
    ['all', "include has no 'all'; known are text, metadata and vector"],
    ['text,', "include has no ''; known are text, metadata and vector"],
    [
      'x'.repeat(41),
      'include has an unknown name of 41 characters; known are text, metadata and vector',
    ],
    [['text', 'vector'], 'include must be given once, its names with commas between them'],
  ])('refuses %o', (value, message) => {
    expect(messageOf(value)).toEqual([message])
  })
})

it('vector_format is json or base64', () => {
  expect(vectorFormat.parse('base64')).toBe('base64')
  expect(vectorFormat.safeParse('Base64').error?.issues[0]?.message).toBe(
    'vector_format must be json or base64',
  )
})
