import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createFiles } from '../../src/db/embedded/files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder()
})

describe('the files of a new embedded database', () => {
  it('are made whole, and what an interrupted start has left goes', async () => {
    await mkdir(join(folder, 'pgdata.new.1'))
    await writeFile(join(folder, 'pgdata.new.1/PG_VERSION'), '')
    await createFiles(join(folder, 'pgdata'))
    expect(await readdir(folder)).toEqual(['pgdata'])
    expect(existsSync(join(folder, 'pgdata/PG_VERSION'))).toBe(true)
  })

  it('are left as they are when they are there', async () => {
    for (const name of ['pgdata', 'pgdata.new.1']) await mkdir(join(folder, name))
    await createFiles(join(folder, 'pgdata'))
    expect(await readdir(folder)).toEqual(['pgdata'])
    expect(await readdir(join(folder, 'pgdata'))).toEqual([])
  })
})
