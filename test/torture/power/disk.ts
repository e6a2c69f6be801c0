import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

/**
 * What a disk has for certain of a folder is what was synced: of each file its content, of each folder its names.
 * Both are kept in another folder, under the identity of the file or folder.
 */

/** Inode numbers are used again; times of birth tell them apart. */
function identityOf(path: string): string {
  const { ino, birthtimeNs } = lstatSync(path, { bigint: true })
  return `${ino}-${birthtimeNs}`
}

type Names = Readonly<Record<string, string>>

const namesIn = (folder: string): Names =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, identityOf(join(folder, name))]))

/** A file or folder is synced. @param opened another path of it */
export function keep(kept: string, path: string, opened = path): void {
  const unfinished = join(kept, `unfinished-${process.pid}-${threadId}`)
  const isFolder = lstatSync(path).isDirectory()
  if (isFolder) writeFileSync(unfinished, JSON.stringify(namesIn(path)))
  else copyFileSync(opened, unfinished)
  const identity = identityOf(path)
  renameSync(unfinished, isFolder ? namesOf(kept, identity) : join(kept, identity))
}

/** Apart from contents of files: a folder that was removed is a folder again if its removal is lost. */
const namesOf = (kept: string, identity: string) => join(kept, `${identity}.names`)

/** Everything below a folder is on the disk. */
export function keepAll(kept: string, folder: string): void {
  rmSync(kept, { recursive: true, force: true })
  mkdirSync(kept)
  for (const path of [folder, ...pathsBelow(folder)]) {
    const stat = lstatSync(path)
    if (stat.isFile() || stat.isDirectory()) keep(kept, path)
  }
}

const pathsBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))

/** What of that which was not synced has got to the disk. */
export interface Chance {
  readonly random: () => number
  /** For each file and each folder by itself, from 0 (nothing) to 1 (all). */
  readonly shareOf: () => number
}

/** Makes of a folder what a power cut leaves of it. */
export function cutPower(folder: string, kept: string, chance: Chance): void {
  const before = `${folder}-before`
  renameSync(folder, before)
  const paths = new Map(pathsBelow(before).map((path) => [identityOf(path), path]))
  paths.set(identityOf(before), before)
  const make = (identity: string, path: string) => {
    const now = paths.get(identity)
    const [synced, names] = [join(kept, identity), namesOf(kept, identity)]
    const stat = now === undefined ? undefined : lstatSync(now)
    if (stat?.isSocket()) return linkSync(now ?? '', path)
    if (stat?.isSymbolicLink()) return symlinkSync(readlinkSync(now ?? ''), path)
    if (stat?.isDirectory() || existsSync(names)) {
      mkdirSync(path, { mode: 0o700 })
      const old: Names = existsSync(names) ? JSON.parse(readFileSync(names, 'utf8')) : {}
      const left = namesAfter(old, now === undefined ? {} : namesIn(now), chance)
      for (const [name, of] of Object.entries(left)) make(of, join(path, name))
    } else if (now !== undefined || existsSync(synced)) {
      const content = existsSync(synced) ? readFileSync(synced) : Buffer.alloc(0)
      const memory = now === undefined ? content : readFileSync(now)
      writeFileSync(path, contentAfter(content, memory, chance), { mode: 0o600 })
    }
  }
  make(identityOf(before), folder)
  rmSync(before, { recursive: true })
  keepAll(kept, folder)
}

/** Each name as it was or as it is. Names of one file change together: renaming loses nothing. */
export function namesAfter(synced: Names, now: Names, { random, shareOf }: Chance): Names {
  const share = shareOf()
  const done = new Map<string, boolean>()
  const isDone = (identity: string) => {
    const is = done.get(identity) ?? random() < share
    done.set(identity, is)
    return is
  }
  const left: Record<string, string> = {}
  for (const name of new Set([...Object.keys(synced), ...Object.keys(now)])) {
    const [old, young] = [synced[name], now[name]]
    const is = old === young || isDone(young ?? old ?? '') ? young : old
    if (is !== undefined) left[name] = is
  }
  return left
}

const pageBytes = 8_192
const sectorBytes = 512
const tornShare = 0.3

/** Each page is as it was or as it is, and some by sectors. */
export function contentAfter(synced: Buffer, memory: Buffer, { random, shareOf }: Chance): Buffer {
  const share = shareOf()
  const { length } = random() < share ? memory : synced
  const left = Buffer.alloc(length)
  synced.copy(left)
  for (let page = 0; page < length; page += pageBytes) {
    const isTorn = random() < tornShare
    const isDone = random() < share
    for (let at = page; at < Math.min(length, page + pageBytes); at += sectorBytes) {
      if (isTorn ? random() < share : isDone) memory.copy(left, at, at, at + sectorBytes)
    }
  }
  return left
}
