import { statfs } from 'node:fs/promises'
import { StartupError } from '../../errors.ts'

/** A file of the write-ahead log, which the engine makes in one piece, has 16 MiB. */
const fewestBytes = 16 * 2 ** 20

/** Whether there is too little room on the disk of a folder for the database to go on. */
export async function isDiskFull(folder: string): Promise<boolean> {
  const found = await statfs(folder).catch(() => undefined)
  return found !== undefined && found.bavail * found.bsize < fewestBytes
}

export const diskFull = (folder: string | undefined, cause?: unknown) =>
  new StartupError(
    `the disk of ${folder} is full; make room, at least 16 MiB and as much as is to be stored. Nothing is damaged`,
    { cause },
  )
