import { statfs } from 'node:fs/promises'
import { ServiceError, StartupError } from '../../errors.ts'

/** How the process that makes the files of a new database ends where there is no room for them. */
export const noRoomExit = 28

/** The engine makes a file of its write-ahead log, of 16 MiB, in one piece. */
const minBytes = 16 * 2 ** 20

/** What was committed before is there, and what was not is not. */
export class NoRoom extends ServiceError {
  constructor(cause?: unknown) {
    super(
      'unavailable',
      'The disk of the database is full; nothing is damaged, and it can be used again once there is room',
      { cause, retryAfter: 30 },
    )
  }
}

/** Whether this, or the state of the disk, is the reason why something failed in this folder. */
export async function isForRoom(error: unknown, folder: string | undefined): Promise<boolean> {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof NoRoom) return true
  const disk = folder === undefined ? undefined : await statfs(folder).catch(() => undefined)
  return disk !== undefined && disk.bavail * disk.bsize < minBytes
}

export const diskFull = (folder: string | undefined, cause?: unknown) =>
  new StartupError(
    `the disk of ${folder} is full; make room (some 20 MB, and what is to be stored). Nothing is damaged`,
    { cause },
  )
