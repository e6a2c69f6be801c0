import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { syncFolder, syncTree, writeDurably } from '../../src/durable-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

it('leaves a file of the owner alone and nothing else, also where there was one', () => {
  const file = join(folder, 'key')
  for (const text of ['first', 'second']) {
    writeDurably(file, text)
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    chmodSync(file, 0o644)
  }
  expect(readdirSync(folder)).toEqual(['key'])
})

it('leaves what was there where it cannot write', () => {
  mkdirSync(join(folder, 'key/full'), { recursive: true })
  expect(() => writeDurably(join(folder, 'key'), 'text')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  expect(readdirSync(folder)).toEqual(['key'])
})

it('says what it cannot sync', async () => {
  await expect(syncTree(join(folder, 'missing'))).rejects.toThrow('ENOENT')
  expect(() => syncFolder(join(folder, 'missing'))).toThrow('ENOENT')
})
