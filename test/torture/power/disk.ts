import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Entry, Logged } from './log.ts'

const sector = 512

/** With the path that it had first. */
type Made = Pick<Extract<Entry, { readonly op: 'create' }>, 'path' | 'kind' | 'mode' | 'target'>

/** Bytes that are written at any place, and cut or lengthened with zeros. */
class Content {
  #bytes: Buffer
  size: number

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = Buffer.from(bytes)
    this.size = bytes.length
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.size)
  }

  resize(size: number): void {
    if (size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length))
      this.bytes.copy(larger)
      this.#bytes = larger
    }
    if (size < this.size) this.#bytes.fill(0, size, this.size)
    this.size = size
  }

  write(at: number, bytes: Buffer): void {
    if (at + bytes.length > this.size) this.resize(at + bytes.length)
    bytes.copy(this.#bytes, at)
  }

  change(write: Write): void {
    if ('size' in write) this.resize(write.size)
    else this.write(write.at, write.bytes)
  }
}

type Write = { readonly position: number } & (
  | { readonly at: number; readonly bytes: Buffer }
  | { readonly size: number }
)

interface Inode extends Made {
  /** What is on the disk for certain. */
  readonly durable: Content
  /** What was written since. */
  pending: Write[]
  /** Of a folder: what the running system sees, and what is on the disk for certain. */
  readonly names: Map<string, Inode>
  readonly kept: Map<string, Inode>
}

interface Renaming {
  readonly position: number
  readonly made: Inode | undefined
  readonly edits: readonly {
    readonly folder: Inode
    readonly name: string
    readonly inode: Inode | undefined
  }[]
}

const newInode = (made: Made): Inode => {
  const [names, kept] = [new Map<string, Inode>(), new Map<string, Inode>()]
  return { ...made, durable: new Content(), pending: [], names, kept }
}

/** What of that which was not synced has got to the disk. */
export interface Chance {
  readonly random: () => number
  /** For each file and each folder by itself, from 0 (nothing) to 1 (all). */
  readonly shareOf: () => number
  /** Of the writes that got there, those that did in part. */
  readonly torn: number
}

/** A disk as it is at one place of the log, which moves on. */
export class Disk {
  /** Only what POSIX promises holds, instead of what journaling file systems do: see the README. */
  readonly #isPosix: boolean
  /** Whether a sync of this file is lost: the fault that has to be noticed. */
  readonly #isLost: (path: string) => boolean
  readonly #root = newInode({ path: '', kind: 'folder', mode: 0o700 })
  readonly #inodes = new Map<number, Inode>()
  #renamings: Renaming[] = []

  constructor(isPosix: boolean, isLost: (path: string) => boolean = () => false) {
    this.#isPosix = isPosix
    this.#isLost = isLost
  }

  apply({ position, entry, bytes }: Logged): void {
    if (entry.op === 'create') {
      const inode = newInode(entry)
      this.#inodes.set(entry.inode, inode)
      this.#edit(position, [entry.path, inode])
    } else if (entry.op === 'write') {
      this.#inodes.get(entry.inode)?.pending.push({ position, at: entry.at, bytes })
    } else if (entry.op === 'truncate') {
      this.#inodes.get(entry.inode)?.pending.push({ position, size: entry.size })
    } else if (entry.op === 'sync') {
      this.#sync(this.#inodes.get(entry.inode), entry.begun)
    } else if (entry.op === 'unlink') {
      this.#edit(position, [entry.path, undefined])
    } else if (entry.op === 'rename') {
      this.#edit(position, [entry.from, undefined], [entry.to, this.#find(entry.from)])
    }
  }

  #find(path: string): Inode | undefined {
    const names = path === '.' ? [] : path.split('/')
    return names.reduce<Inode | undefined>((at, name) => at?.names.get(name), this.#root)
  }

  #edit(position: number, ...changes: [path: string, inode: Inode | undefined][]): void {
    const edits = changes.map(([path, inode]) => {
      const folder = this.#find(dirname(path))
      if (folder === undefined) throw new Error(`the folder of ${path} is not there`)
      const name = basename(path)
      if (inode === undefined) folder.names.delete(name)
      else folder.names.set(name, inode)
      return { folder, name, inode }
    })
    const [path, made] = changes[0] ?? []
    if (path !== undefined) this.#renamings.push({ position, made, edits })
  }

  #sync(inode: Inode | undefined, begun: number): void {
    if (inode === undefined || this.#isLost(inode.path)) return
    for (const write of inode.pending) if (write.position < begun) inode.durable.change(write)
    inode.pending = inode.pending.filter(({ position }) => position >= begun)
    this.#keep(inode, begun)
    if (!this.#isPosix) this.#keepName(inode, begun)
  }

  /** The names in a folder, in their order. */
  #keep(folder: Inode, before: number): void {
    this.#renamings = this.#renamings.filter((renaming) => {
      const { position, edits } = renaming
      if (position >= before || !edits.some((edit) => edit.folder === folder)) return true
      changeNames(edits, ({ kept }) => kept)
      return false
    })
  }

  /** The name of a new file and those of the folders above it, which journals write together. */
  #keepName(inode: Inode, before: number): void {
    const creation = this.#renamings.find(
      ({ made, position }) => made === inode && position < before,
    )
    const folder = creation?.edits[0]?.folder
    if (creation === undefined || folder === undefined) return
    this.#keep(folder, creation.position + 1)
    this.#keepName(folder, before)
  }

  /** What is there after a power cut, by path. */
  cut(chance: Chance): Map<string, Found> {
    const seen = new Map<Inode, Map<string, Inode>>()
    const namesOf = (folder: Inode) => {
      const names = seen.get(folder) ?? new Map(folder.kept)
      seen.set(folder, names)
      return names
    }
    const foldersOf = ({ edits }: Renaming) => edits.map(({ folder }) => folder)
    const late = new Set<Renaming>()
    for (const folder of new Set(this.#renamings.map((renaming) => foldersOf(renaming)[0]))) {
      const some = this.#renamings.filter((renaming) => foldersOf(renaming)[0] === folder)
      const share = chance.shareOf()
      const isLate = (index: number) =>
        this.#isPosix ? chance.random() >= share : index >= Math.round(share * some.length)
      for (const [index, renaming] of some.entries()) if (isLate(index)) late.add(renaming)
    }
    const closed = new Set<Inode>()
    for (const renaming of this.#renamings) {
      const folders = foldersOf(renaming)
      const isClosed = !this.#isPosix && folders.some((folder) => closed.has(folder))
      if (!isClosed && !late.has(renaming)) changeNames(renaming.edits, namesOf)
      else for (const folder of folders) closed.add(folder)
    }
    const found = new Map<string, Found>()
    const walk = (folder: Inode, path: string) => {
      for (const [name, inode] of namesOf(folder)) {
        const bytes = inode.kind === 'file' ? contentAfter(inode, chance) : Buffer.alloc(0)
        found.set(join(path, name), { ...inode, bytes })
        if (inode.kind === 'folder') walk(inode, join(path, name))
      }
    }
    walk(this.#root, '')
    return found
  }
}

export interface Found extends Made {
  readonly bytes: Buffer
}

function changeNames(edits: Renaming['edits'], namesOf: (folder: Inode) => Map<string, Inode>) {
  for (const { folder, name, inode } of edits) {
    if (inode === undefined) namesOf(folder).delete(name)
    else namesOf(folder).set(name, inode)
  }
}

/**
 * Each sector is as it was after one of the writes to it: what the system has in its memory is what it writes.
 * Where a file was not cut, what was written later behind that place has no room.
 */
function contentAfter({ durable, pending }: Inode, { random, shareOf, torn }: Chance): Buffer {
  if (pending.length === 0) return durable.bytes
  const [memory, disk] = [new Content(durable.bytes), new Content(durable.bytes)]
  const share = shareOf()
  let end = Number.POSITIVE_INFINITY
  for (const write of pending) {
    memory.change(write)
    const isDone = random() < share
    if ('size' in write) {
      if (isDone && end === Number.POSITIVE_INFINITY) disk.resize(write.size)
      else end = Math.min(end, write.size)
    } else if (isDone) {
      const isTorn = random() < torn
      const first = Math.floor(write.at / sector) * sector
      for (let at = first; at < write.at + write.bytes.length && at < end; at += sector) {
        if (!isTorn || random() < 0.5) disk.write(at, memory.bytes.subarray(at, at + sector))
      }
    }
  }
  return disk.bytes
}

/** @param socket on which nobody listens any more */
export function writeFolder(folder: string, found: ReadonlyMap<string, Found>, socket: string) {
  mkdirSync(folder, { recursive: true })
  for (const [name, { kind, mode, target, bytes }] of found) {
    const path = join(folder, name)
    if (kind === 'folder') mkdirSync(path, { mode })
    else if (kind === 'file') writeFileSync(path, bytes, { mode })
    else if (kind === 'link') symlinkSync(target ?? '', path)
    else linkSync(socket, path)
  }
}

/** Where a folder is another than the log has it: then something was done that was not written down. */
export function differences(folder: string, expected: ReadonlyMap<string, Found>): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const missing = [...expected.keys()].filter((name) => !names.includes(name))
  const other = names.filter((name) => {
    const found = expected.get(name)
    if (found?.kind !== 'file')
      return found === undefined && !statSync(join(folder, name)).isSocket()
    return !readFileSync(join(folder, name)).equals(found.bytes)
  })
  return [...missing, ...other]
}
