import { packTar } from 'modern-tar/fs'
import type { Database } from '../../db/database.ts'
import { conflict } from '../../errors.ts'
import { version } from '../../version.ts'

export const forEmbeddedOnly =
  'This server uses PostgreSQL, which is backed up with pg_dump; see "Backup and restore" in docs/operations.md'

/** Instructions for somebody who finds the archive years later. */
const howToRestore =
  () => `A backup of the embedded database of Semblance ${version}, of ${new Date().toISOString()}.

THE ENCRYPTION KEY IS NOT IN IT, AND WITHOUT THAT KEY THE DATABASE DOES NOT OPEN.

1. Unpack this archive into an empty folder.
2. Copy encryption.key from the data folder of the server into that folder too; or set ENCRYPTION_KEY
   to the key that the server was started with.
3. Start Semblance ${version}, or a newer version, with SERVICE_DATADIR set to that folder. It generates a
   new administrator key in admin.key, unless one is there or SERVICE_ADMINKEY is set. Users keep their keys.
`

export type Backup = ReturnType<typeof createBackup>

/**
 * Backs up a database while it is in use. Only one backup runs at a time, because each needs disk
 * space.
 */
export function createBackup({ copyFiles }: Pick<Database, 'copyFiles'>) {
  let running = false

  return {
    /**
     * A tar archive of the database as of when its first part is requested. It contains neither the
     * server's keys nor any other files of the data folder.
     * @throws 409 without an embedded database, or while another backup runs
     */
    async *archive(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
      if (copyFiles === undefined) throw conflict(forEmbeddedOnly)
      if (running) throw conflict('A backup is being made already; wait for it to end')
      running = true
      try {
        const copy = await copyFiles()
        try {
          yield* packed(copy.folder)
        } finally {
          await copy.remove()
        }
      } finally {
        running = false
      }
    },
  }
}

async function* packed(folder: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const archive = packTar(
    [
      { type: 'content', target: 'RESTORE.txt', content: howToRestore() },
      { type: 'directory', target: 'pgdata', source: folder },
    ],
    // Only the owner may read the unpacked files. The owner's name on this machine means nothing
    // elsewhere.
    { map: (entry) => ({ ...entry, ...owned, mode: entry.type === 'directory' ? 0o700 : 0o600 }) },
  )
  for await (const part of archive) yield part
}

const owned = { uid: 0, gid: 0, uname: '', gname: '' }
