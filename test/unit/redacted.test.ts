import { expect, it } from 'vitest'
import { redacted } from '../../src/providers/redact.ts'

const key = 'sk-Proj_9fQ2zXw7LmN4vB8t'

// That nothing of a key is repeated is tried by each operation (api/text-embedding/provider-faults.test.ts).
it('leaves other words as they are, in a line of their own and not too many', () => {
  expect(redacted('The model `small` does not exist', key)).toBe('The model `small` does not exist')
  expect(redacted('one\r\ntwo\u001b[31m', undefined)).toBe('one two [31m')
  expect([...redacted('x'.repeat(5_000), key)]).toHaveLength(301)
  expect(redacted('', key)).toBe('')
})
