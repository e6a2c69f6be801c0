import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFiles } from '../../src/db/embedded/files.ts'
import { StartupError } from '../../src/errors.ts'
import { isDue } from '../support/run/full-run.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'semblance-files-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('the files of a new embedded database', () => {
  // A sample has it in `first-start.test.ts`.
  it.runIf(isDue(5))('are made whole, and what an interrupted start has left goes', async () => {
    await mkdir(join(folder, 'pgdata.new.1'))
    await writeFile(join(folder, 'pgdata.new.1/PG_VERSION'), '')
    await createFiles(join(folder, 'pgdata'))
    expect(await readdir(folder)).toEqual(['pgdata'])
    expect(existsSync(join(folder, 'pgdata/PG_VERSION'))).toBe(true)
  })

  it('that take too long are given up, with a word about time and none about the disk', async () => {
    const making = createFiles(join(folder, 'pgdata'), 0.0001)
    const message = `a new embedded database could not be made in ${folder} within 0.0001 minutes; try again when the machine has less to do`
    await expect(making).rejects.toThrow(new StartupError(message))
    expect(await readdir(folder)).toEqual([])
  })

  it('are left as they are when they are there', async () => {
    for (const name of ['pgdata', 'pgdata.new.1']) await mkdir(join(folder, name))
    await createFiles(join(folder, 'pgdata'))
    expect(await readdir(folder)).toEqual(['pgdata'])
    expect(await readdir(join(folder, 'pgdata'))).toEqual([])
  })
})
