import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { giveUpSpare, keepSpare } from '../../src/db/embedded/spare-room.ts'

it('keeps some room among the files of a database, and gives it up', async () => {
  const files = await mkdtemp(join(tmpdir(), 'semblance-spare-'))
  onTestFinished(() => rm(files, { recursive: true }))
  await keepSpare(files)
  await keepSpare(files)
  const [name = ''] = await readdir(files)
  const { size, blocks, mode } = await stat(join(files, name))
  expect([size, blocks * 512 >= size, mode & 0o777]).toEqual([2 ** 21, true, 0o600])
  await giveUpSpare(files)
  await giveUpSpare(files)
  expect(await readdir(files)).toEqual([])
})
