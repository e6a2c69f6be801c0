// This is a process of its own. It creates the files of a new database in the given folder, and
// ends. A thread does the work, which blocks for seconds, so that the process notices when its
// parent ends.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** Where PGlite has the files of its database. */
const filesAt = '/pglite/data'
/** The least that PostgreSQL takes. Its usual 128 MB would be resident while it starts. */
const fewBuffers = ['-c', 'shared_buffers=400kB']

/** The parts of Emscripten's file system in memory that are needed here. */
interface FileSystem {
  readdir(path: string): string[]
  stat(path: string): { readonly mode: number }
  isDir(mode: number): boolean
  readFile(path: string): Uint8Array
}

if (isMainThread) {
  const end = () => process.kill(process.pid, 'SIGKILL')
  process.on('disconnect', end)
  if (!process.connected) end()
  const thread = new Worker(new URL(import.meta.url), { workerData: process.argv[2] })
  thread.on('error', (error) => {
    process.stderr.write(`${error.stack}\n`)
    process.exitCode = 1
  })
  thread.on('exit', (code) => process.exit(process.exitCode ?? code))
} else {
  const folder = `${workerData}`
  mkdirSync(folder, { mode: 0o700 })
  const { PGlite } = await import('@electric-sql/pglite')
  const { syncTree } = await import('../../durable-files.ts')
  const { isNoRoom, noRoomExit } = await import('./disk-full.ts')
  keepHeapsCompact()
  // In memory: with files, PGlite makes the database there too, and copies it by an archive.
  const pglite = await PGlite.create({
    initDbStartParams: [...fewBuffers, '--no-sync'],
    startParams: [...PGlite.defaultStartParams, ...fewBuffers],
  })
  const { FS } = pglite.Module
  await pglite.close()
  try {
    copyOut(FS, filesAt, folder)
    await syncTree(folder)
  } catch (error) {
    if (isNoRoom(error)) process.exit(noRoomExit)
    throw error
  }
  process.exit(0)
}

function copyOut(files: FileSystem, from: string, to: string): void {
  for (const name of files.readdir(from)) {
    if (name === '.' || name === '..') continue
    const [source, target] = [`${from}/${name}`, join(to, name)]
    if (files.isDir(files.stat(source).mode)) {
      mkdirSync(target, { mode: 0o700 })
      copyOut(files, source, target)
    } else writeFileSync(target, files.readFile(source), { mode: 0o600 })
  }
}

/**
 * Before each of its runs of PostgreSQL, PGlite's initdb restores the heap of 128 MB from a copy of
 * it, of which all but some 10 MB are zeros. This leaves zeros untouched, so that they take no
 * memory: 200 MB less, without which a container of 512 MB is too small.
 */
function keepHeapsCompact(): void {
  const { slice, set } = Uint8Array.prototype
  const heapBytes = 2 ** 27
  const copies = new WeakSet<object>()
  const wordsOf = ({ buffer, length }: Uint8Array) => new BigUint64Array(buffer, 0, length / 8)
  Uint8Array.prototype.slice = function (...range) {
    if (range.length > 0 || this.length < heapBytes) return slice.apply(this, range)
    const words = wordsOf(this).findLastIndex((word) => word !== 0n) + 1
    const copy = slice.call(this, 0, 8 * words)
    copies.add(copy)
    return copy
  }
  Uint8Array.prototype.set = function (source, offset) {
    set.call(this, source, offset)
    if (!copies.has(source)) return
    const words = wordsOf(this)
    const step = 8_192
    for (let at = source.length / 8; at < words.length; at += step) {
      const part = words.subarray(at, at + step)
      if (part.some((word) => word !== 0n)) part.fill(0n)
    }
  }
}
