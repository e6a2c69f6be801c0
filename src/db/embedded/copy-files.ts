import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable } from '../../errors.ts'
import type { FilesCopy } from '../database.ts'
import type { Engine } from './engine.ts'

/** The copy is next to the files, because a file system can share blocks only within itself. */
const copyOf = (files: string) => `${files}.backup`

/** Also removes what a killed process has left. */
export const removeCopy = (files: string) => rm(copyOf(files), { recursive: true, force: true })

/** @throws 503 if there is no room for the copy */
export async function copyFiles(engine: Engine, files: string): Promise<FilesCopy> {
  await removeCopy(files)
  await engine.atRest(() =>
    copyFolder(files, copyOf(files)).catch(async (cause) => {
      // The statements that go on now need the room.
      await removeCopy(files)
      throw unavailable(
        'The files of the database could not be copied; is there room for a second set of them?',
        cause,
      )
    }),
  )
  return { folder: copyOf(files), remove: () => removeCopy(files) }
}

/** Takes a fifth of the time of Node's own `cp`, which checks more about every file. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  const entries = await readdir(from, { withFileTypes: true })
  const copies = await Promise.allSettled(
    entries.map((entry) => {
      const [source, target] = [join(from, entry.name), join(to, entry.name)]
      return entry.isDirectory()
        ? copyFolder(source, target)
        : copyFile(source, target, constants.COPYFILE_FICLONE)
    }),
  )
  for (const copy of copies) if (copy.status === 'rejected') throw copy.reason
}
