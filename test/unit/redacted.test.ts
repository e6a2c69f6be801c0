import { expect, it } from 'vitest'
import { redacted } from '../../src/providers/redact.ts'

const key = 'sk-Proj_9fQ2zXw7LmN4vB8t'

it.each([
  key,
  key.toUpperCase(),
  key.slice(0, 8),
  key.slice(-6),
  encodeURIComponent(key),
  Buffer.from(key).toString('base64'),
  Buffer.from(key).toString('hex'),
  [...key].reverse().join(''),
])('repeats nothing of a key that a provider echoes as %s', (echo) => {
  const said = redacted(`Incorrect key: ${echo} was given`, key)
  expect(said).toContain('Incorrect')
  for (let at = 0; at + 6 <= echo.length; at += 1) {
    expect(said).not.toContain(echo.slice(at, at + 6))
  }
})

it('knows it in base64 behind something else', () => {
  const echo = Buffer.from(`Bearer ${key}`).toString('base64')
  expect(redacted(echo, key).length).toBeLessThan(16)
})

it('leaves other words as they are, in a line of their own and not too many', () => {
  expect(redacted('The model `small` does not exist', key)).toBe('The model `small` does not exist')
  expect(redacted('one\r\ntwo\u001b[31m', undefined)).toBe('one two [31m')
  expect([...redacted('x'.repeat(5_000), key)]).toHaveLength(301)
  expect(redacted('', key)).toBe('')
})
