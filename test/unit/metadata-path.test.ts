import { describe, expect, it } from 'vitest'
import { parseMetadataPath } from '../../src/similars/metadata-path.ts'

describe('a metadata path', () => {
  it.each([
    ['author', ['author']],
    ['ref.book.name', ['ref', 'book', 'name']],
    ['a\\.b', ['a.b']],
    ['a\\.b.c\\.d', ['a.b', 'c.d']],
    ['a\\\\.b', ['a\\', 'b']],
    ['a\\\\\\.b', ['a\\.b']],
    ['a\\b', ['ab']],
    ['a\\', ['a\\']],
    ['.', ['', '']],
    ['a.', ['a', '']],
    ['.a', ['', 'a']],
    ['a..b', ['a', '', 'b']],
    [' a . b ', [' a ', ' b ']],
    ['0.1', ['0', '1']],
    ['😀.\\😀', ['😀', '😀']],
    ['__proto__.constructor', ['__proto__', 'constructor']],
  ])('%j is split at its dots', (path, keys) => {
    expect(parseMetadataPath(path)).toEqual(keys)
  })

  it('may not be empty', () => {
    expect(() => parseMetadataPath('')).toThrow('metadata_path must not be empty')
  })

  it('has at most 32 segments', () => {
    const path = (segments: number) => Array(segments).fill('a').join('.')
    expect(parseMetadataPath(path(32)).length).toBe(32)
    expect(() => parseMetadataPath(path(33))).toThrow('at most 32 segments')
    expect(parseMetadataPath(path(33).replace('.', '\\.')).length).toBe(32)
  })
})
