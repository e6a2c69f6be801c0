import { describe, expect, it } from 'vitest'
import { parsePath } from '../../src/filters/metadata-path.ts'

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
    expect(parsePath(path, 'metadata_path')).toEqual(keys)
  })

  it('may not be empty', () => {
    expect(() => parsePath('', 'metadata_path')).toThrow('metadata_path must not be empty')
  })

  it('has at most 32 segments', () => {
    const path = (segments: number) => Array(segments).fill('a').join('.')
    expect(parsePath(path(32), 'metadata_path').length).toBe(32)
    expect(() => parsePath(path(33), 'metadata_path')).toThrow('at most 32 segments')
    expect(parsePath(path(33).replace('.', '\\.'), 'metadata_path').length).toBe(32)
  })
})
