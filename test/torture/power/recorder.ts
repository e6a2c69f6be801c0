// Preloaded into the server: writes down what is done to the files below a folder. It is written down when it
// has been done, and before whoever asked for it knows, so that what a sync covers is in the log before it.
// Nothing is synced in truth: nobody cuts the power of this machine.
import fs, { type Stats } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { type Entry, entryParts } from './log.ts'

const { searchParams } = new URL(import.meta.url)
const root = searchParams.get('root') ?? ''
// Forked processes get the flags of this one, whatever their environment.
if (isMainThread && !process.execArgv.includes(import.meta.url)) {
  process.execArgv.push('--import', import.meta.url)
}
const real = { ...fs }
const log = real.openSync(searchParams.get('log') ?? '', 'a')
/** Of the descriptors of files below the folder. */
const inodes = new Map<number, number>()
const handles = new WeakMap<object, number>()

function append(entry: Entry, bytes?: Uint8Array): void {
  const parts = entryParts(entry, bytes)
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (real.writevSync(log, parts) !== length) throw new Error('no room for the log of the torture')
}

/** Below the folder; undefined when it is elsewhere. */
function nameOf(path: unknown): string | undefined {
  if (typeof path !== 'string') return undefined
  const name = relative(root, resolve(path))
  return name === '' || name.startsWith('..') ? undefined : name
}

const statOf = (path: string) => real.lstatSync(path, { throwIfNoEntry: false })

function kindOf(stat: Stats) {
  if (stat.isDirectory()) return 'folder'
  if (stat.isSymbolicLink()) return 'link'
  return stat.isSocket() ? 'socket' : 'file'
}

function created(name: string, stat: Stats): void {
  const kind = kindOf(stat)
  const target = kind === 'link' ? { target: real.readlinkSync(join(root, name)) } : {}
  const mode = stat.mode & 0o777
  append({ op: 'create', path: name, inode: stat.ino, kind, mode, ...target })
}

/** All that is there, what is deepest first. */
function below(path: string): string[] {
  if (statOf(path)?.isDirectory() !== true) return statOf(path) === undefined ? [] : [path]
  return [...real.readdirSync(path).flatMap((name) => below(join(path, name))), path]
}

/** What came or went at a path, and with a tree of it below, whatever brought it about. */
function watchPath(path: unknown, withTree = false): () => void {
  const name = nameOf(path)
  if (name === undefined) return () => {}
  const itself = join(root, name)
  const there = withTree ? below(itself) : [itself].filter((path) => statOf(path) !== undefined)
  return () => {
    const stat = statOf(join(root, name))
    if (there.length === 0 && stat !== undefined) created(name, stat)
    for (const gone of there.filter((path) => statOf(path) === undefined)) {
      append({ op: 'unlink', path: relative(root, gone) })
    }
  }
}

/** A file is written anew: what is in it now. */
function whole(path: string): void {
  const { ino: inode } = real.statSync(path)
  append({ op: 'truncate', inode, size: 0 })
  append({ op: 'write', inode, at: 0 }, real.readFileSync(path))
}

/** Whether Node calls its own functions, as `writeFileSync` does. */
let isInside = false

function alone(call: () => unknown): unknown {
  isInside = true
  try {
    return call()
  } finally {
    isInside = false
  }
}

/** Is given the arguments before; what it returns is called after, without a result when it failed. */
type Prepare = (this: object, ...args: unknown[]) => (result?: { readonly value: unknown }) => void

function wrap(
  owner: object,
  name: string,
  prepare: Prepare,
  instead?: (result: unknown) => unknown,
) {
  const original: unknown = Reflect.get(owner, name)
  if (typeof original !== 'function') throw new Error(`there is no ${name}`)
  const isAsync = !name.endsWith('Sync')
  Reflect.set(owner, name, function (this: object, ...args: unknown[]) {
    if (isInside) return Reflect.apply(original, this, args)
    const after = prepare.call(this, ...args)
    const done = (value: unknown) => {
      after({ value })
      return value
    }
    const call = () => (instead === undefined ? Reflect.apply(original, this, args) : instead(args))
    if (!isAsync) return done(alone(call))
    return Promise.resolve(call()).then(done, (error) => {
      after()
      throw error
    })
  })
}

function wrapBoth(name: string, prepare: Prepare): void {
  wrap(fs, `${name}Sync`, prepare)
  wrap(fs.promises, name, prepare)
}

for (const name of ['mkdir', 'rmdir', 'unlink']) wrapBoth(name, (path) => watchPath(path))
wrapBoth('rm', (path) => watchPath(path, true))
wrapBoth('symlink', (_, path) => watchPath(path))
wrapBoth('mkdtemp', () => (made) => {
  const name = nameOf(made?.value)
  if (name !== undefined) created(name, real.lstatSync(join(root, name)))
})
wrapBoth('rename', (from, to) => {
  const [before, after] = [nameOf(from), nameOf(to)]
  const stat = before === undefined ? undefined : statOf(join(root, before))
  return () => {
    if (before === undefined || after === undefined || stat === undefined) return
    if (statOf(join(root, before)) !== undefined) return
    append({ op: 'rename', from: before, to: after })
    // Sockets come by other ways.
    for (const path of stat.isDirectory() ? below(join(root, after)) : []) {
      const found = statOf(path)
      if (found?.isSocket()) created(relative(root, path), found)
    }
  }
})
const watchContent = (path: unknown): ReturnType<Prepare> => {
  if (typeof path === 'number') {
    return () => {
      if (inodes.has(path)) whole(`/proc/self/fd/${path}`)
    }
  }
  const changed = watchPath(path)
  const name = nameOf(path)
  return (result) => {
    changed()
    if (result !== undefined && name !== undefined && statOf(join(root, name))?.isFile())
      whole(join(root, name))
  }
}
for (const name of ['writeFile', 'appendFile']) wrapBoth(name, watchContent)
wrapBoth('copyFile', (_, to) => watchContent(to))
wrapBoth('truncate', (path, size) => (result) => {
  const name = nameOf(path)
  if (result === undefined || name === undefined) return
  append({ op: 'truncate', inode: real.statSync(join(root, name)).ino, size: Number(size ?? 0) })
})

const truncating = (flags: unknown) =>
  typeof flags === 'number'
    ? (flags & fs.constants.O_TRUNC) !== 0
    : typeof flags === 'string' && flags.startsWith('w')

/** @param remember is told by what an open file is known from now on. @returns its descriptor */
const watchOpen =
  (remember: (opened: unknown, inode: number) => void): Prepare =>
  (path, flags) => {
    const changed = watchPath(path)
    const wasThere = nameOf(path) !== undefined && statOf(String(path)) !== undefined
    return (opened) => {
      if (nameOf(path) === undefined || opened === undefined) return
      const { ino: inode } = real.fstatSync(descriptorOf(opened.value))
      remember(opened.value, inode)
      changed()
      if (wasThere && truncating(flags)) append({ op: 'truncate', inode, size: 0 })
    }
  }
/** A descriptor, or an object that has one. */
const descriptorOf = (opened: unknown) =>
  typeof opened === 'number' ? opened : Number(Reflect.get(Object(opened), 'fd'))
wrap(
  fs,
  'openSync',
  watchOpen((descriptor, inode) => inodes.set(descriptorOf(descriptor), inode)),
)
wrap(
  fs.promises,
  'open',
  watchOpen((handle, inode) => handles.set(Object(handle), inode)),
)
wrap(fs, 'closeSync', (descriptor) => {
  inodes.delete(descriptorOf(descriptor))
  return () => {}
})
wrap(fs, 'writeSync', (descriptor, buffer, offset, _, at) => {
  const inode = inodes.get(descriptorOf(descriptor))
  return (result) => {
    if (inode === undefined || result === undefined) return
    if (!ArrayBuffer.isView(buffer) || typeof at !== 'number' || typeof offset !== 'number') {
      return whole(`/proc/self/fd/${descriptor}`)
    }
    const bytes = Buffer.from(buffer.buffer, buffer.byteOffset + offset, Number(result.value))
    append({ op: 'write', inode, at }, bytes)
  }
})
wrap(fs, 'ftruncateSync', (descriptor, size) => () => {
  const inode = inodes.get(descriptorOf(descriptor))
  if (inode !== undefined) append({ op: 'truncate', inode, size: Number(size ?? 0) })
})
const handle = await fs.promises.open(new URL(import.meta.url))
const ofHandles: object = Object.getPrototypeOf(handle)
await handle.close()
for (const name of ['write', 'writev', 'writeFile', 'appendFile', 'truncate']) {
  wrap(ofHandles, name, function (this: object) {
    return () => {
      if (handles.has(this)) whole(`/proc/self/fd/${descriptorOf(this)}`)
    }
  })
}
const watchSync = (inode: number | undefined) => {
  const begun = real.fstatSync(log).size
  return () => {
    if (inode !== undefined) append({ op: 'sync', inode, begun })
  }
}
const synced = () => {}
for (const name of ['fsyncSync', 'fdatasyncSync']) {
  wrap(fs, name, (descriptor) => watchSync(inodes.get(descriptorOf(descriptor))), synced)
}
for (const name of ['sync', 'datasync']) {
  const watchHandle = function (this: object) {
    return watchSync(handles.get(this))
  }
  wrap(ofHandles, name, watchHandle, synced)
}
syncBuiltinESMExports()
