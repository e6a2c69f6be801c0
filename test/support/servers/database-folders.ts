import { accessSync, constants, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

const memory = '/dev/shm'
const plenty = 4 * 2 ** 30

/**
 * Where tests have the files of embedded databases: in memory where there is plenty of it. A database has
 * a thousand files; to make them takes ext4 ten times as long, the more so after others were deleted.
 */
export function databaseFolders(): string {
  return process.env['TMPDIR'] === undefined && hasPlenty() ? memory : tmpdir()
}

function hasPlenty(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, freemem()) >= plenty
  } catch {
    return false
  }
}
