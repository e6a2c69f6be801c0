import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFiles } from '../../src/db/embedded/files.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'semblance-files-'))
})
afterEach(() => rm(folder, { recursive: true }))

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
