import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { giveUpSpare, keepSpare } from '../../src/db/embedded/spare-room.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it('keeps some room among the files of a database, and gives it up', async () => {
  const files = temporaryFolder()
  await keepSpare(files)
  await keepSpare(files)
  const [name = ''] = await readdir(files)
  const { size, blocks, mode } = await stat(join(files, name))
  expect([size, blocks * 512 >= size, mode & 0o777]).toEqual([2 ** 21, true, 0o600])
  await giveUpSpare(files)
  await giveUpSpare(files)
  expect(await readdir(files)).toEqual([])
})
