import { statfs } from 'node:fs/promises'
import { ServiceError, StartupError } from '../../errors.ts'

/** The exit code of the process that creates a new database if there is no room for the files. */
export const noRoomExit = 28

const noRoomCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Whether an error of Node's file system says that the disk is full. */
export const isNoRoom = (error: unknown): boolean => noRoomCodes.includes(Object(error).code)

/** The engine creates a file of its write-ahead log, of 16 MiB, in one piece. */
const minBytes = 16 * 2 ** 20

/** The disk is full. Everything that was acknowledged before is stored. */
export class NoRoom extends ServiceError {
  constructor(cause?: unknown) {
    super(
      'unavailable',
      'The disk of the database is full; nothing is damaged, and it can be used again once there is room',
      { cause, retryAfter: 30 },
    )
  }
}

/**
 * Whether something failed in this folder because its disk is full, as the error or the disk says.
 */
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
