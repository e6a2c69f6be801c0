import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What VACUUM writes about the free place of tables, before any is free. */
const spareBytes = 2 * 2 ** 20

export const spareName = 'semblance.spare'
/** Among the files, in whose file system it is to be. */
const spareOf = (files: string) => join(files, spareName)

/** Keeps some room on the disk for when it is full. @param files undefined for none */
export async function keepSpare(files: string | undefined): Promise<void> {
  if (files === undefined) return
  const present = await stat(spareOf(files)).catch(() => undefined)
  if (present?.size === spareBytes) return
  // Where there is no room, a later start or deletion makes it.
  await writeFile(spareOf(files), Buffer.alloc(spareBytes, 1), { mode: 0o600 }).catch(() =>
    giveUpSpare(files),
  )
}

export async function giveUpSpare(files: string | undefined): Promise<void> {
  if (files !== undefined) await rm(spareOf(files), { force: true }).catch(() => {})
}
