import { expect, it } from 'vitest'
import { lackOf } from '../../src/access/rules.ts'

// Who may do what is tested through the API (api/access/authorization.test.ts).
it('a key is said to lack what it lacks', () => {
  expect(lackOf('project:write', 'read')).toBe('it needs a key that may write')
  expect(lackOf('project:manage', 'read in projects')).toBe(
    'it needs a key that may write and is not limited to projects',
  )
  expect(lackOf('instances:list', 'write in projects')).toBe(
    'it needs a key that is not limited to projects',
  )
  expect(lackOf('keys:manage', 'write')).toBe("it needs the user's first key")
  expect(lackOf('users:list', 'write')).toBeUndefined()
  expect(lackOf('project:write', 'everything')).toBeUndefined()
})
