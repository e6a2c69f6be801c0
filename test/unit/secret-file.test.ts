import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { secretFrom } from '../../src/config/secret-file.ts'
import { StartupError } from '../../src/errors.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder(afterAll)
const fileWith = (content: string | Buffer) => {
  const file = join(folder, 'secret')
  writeFileSync(file, content)
  return file
}
const read = (file: string, value = '') => secretFrom({ KEY: value, KEY_FILE: file }, 'KEY')

describe('a secret', () => {
  it('is the setting, or nothing', () => {
    expect(secretFrom({ KEY: 'value' }, 'KEY')).toBe('value')
    expect(secretFrom({ KEY: 'value', KEY_FILE: '' }, 'KEY')).toBe('value')
    expect(secretFrom({ KEY: '', KEY_FILE: '' }, 'KEY')).toBe(undefined)
    expect(secretFrom({}, 'KEY')).toBe(undefined)
  })

  it.each([
    ['plain', 'plain'],
    ['with a newline\n', 'with a newline'],
    ['with that of Windows\r\n', 'with that of Windows'],
    ['with two\n\n', 'with two\n'],
    [' with spaces ', ' with spaces '],
    ['schlüssel', 'schlüssel'],
  ])('is what the file holds: %j', (content, secret) => {
    expect(read(fileWith(content))).toBe(secret)
    expect(read(fileWith(content), '')).toBe(secret)
  })

  it.each([
    ['an empty file', () => read(fileWith('')), 'KEY_FILE names an empty file'],
    ['a file with a newline only', () => read(fileWith('\n')), 'KEY_FILE names an empty file'],
    [
      'a file of other bytes',
      () => read(fileWith(Buffer.from([0x41, 0xff]))),
      'KEY_FILE names a file that cannot be read (it is not UTF-8)',
    ],
    [
      'a file that is not there',
      () => read('Secret1'),
      'KEY_FILE names a file that cannot be read (ENOENT)',
    ],
    ['a folder', () => read(folder), 'KEY_FILE names a file that cannot be read (EISDIR)'],
    [
      'a value beside a file',
      () => read(fileWith('a'), 'Secret1'),
      'KEY and KEY_FILE are both given; leave one of them out',
    ],
  ])('is refused: %s', (_, attempt, message) => {
    expect(attempt).toThrow(new StartupError(message))
  })
})
