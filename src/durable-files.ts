import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A file that after a power cut is there whole, or as it was before. @param mode for its owner alone unless given */
export function writeDurably(file: string, text: string, mode = 0o600): void {
  const unfinished = `${file}.${process.pid}.unfinished`
  try {
    rmSync(unfinished, { force: true })
    writeFileSync(unfinished, text, { mode, flag: 'wx' })
    sync(unfinished)
    renameDurably(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

/** Of what is on the disk already. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

/** Brings to the disk what was written into a file, and that it is there. */
export function syncFile(file: string): void {
  sync(file)
  syncFolder(dirname(file))
}

/** A disk syncs several files in the time of one; each of them is open meanwhile. */
const atOnce = 64

/** Brings a folder and all that is below it to the disk. */
export async function syncTree(folder: string): Promise<void> {
  const below = await readdir(folder, { withFileTypes: true, recursive: true })
  const pathsOf = (entries: typeof below) =>
    entries.map((entry) => join(entry.parentPath, entry.name))
  const files = pathsOf(below.filter((entry) => entry.isFile()))
  for (let at = 0; at < files.length; at += atOnce) {
    await Promise.all(files.slice(at, at + atOnce).map(syncOne))
  }
  for (const path of pathsOf(below.filter((entry) => entry.isDirectory()))) syncFolder(path)
  syncFolder(folder)
}

async function syncOne(file: string): Promise<void> {
  const opened = await open(file)
  await opened.sync().finally(() => opened.close())
}

/** Some file systems cannot do this for a folder, and some users may not open it; PostgreSQL goes on as well then. */
const withoutFolders = ['EINVAL', 'EBADF', 'ENOTSUP', 'EISDIR', 'EACCES']

/** Brings to the disk which files a folder has. `fdatasync` would not: to ext4 their names are no data. */
export function syncFolder(folder: string): void {
  try {
    sync(folder)
  } catch (error) {
    if (!withoutFolders.includes(Object(error).code)) throw error
  }
}

function sync(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
