// Preloaded into the server: keeps what it syncs of its folder, before it knows that this is synced.
// Nothing is synced in truth: nobody cuts the power of this machine.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import { keep } from './disk.ts'

const { searchParams } = new URL(import.meta.url)
const folder = searchParams.get('folder') ?? ''
const kept = searchParams.get('kept') ?? ''
/** Syncs of files with this in their path are lost: the fault that has to be noticed. */
const lost = searchParams.get('lost') ?? ''
// Forked processes get the flags of this one, whatever their environment.
if (isMainThread && !process.execArgv.includes(import.meta.url)) {
  process.execArgv.push('--import', import.meta.url)
}

function sync(descriptor: number): void {
  const opened = `/proc/self/fd/${descriptor}`
  const path = fs.readlinkSync(opened)
  if (!path.startsWith(folder) || !fs.existsSync(path)) return
  if (lost === '' || !path.includes(lost)) keep(kept, path, opened)
}

const handle = await fs.promises.open(new URL(import.meta.url))
const handles: object = Object.getPrototypeOf(handle)
await handle.close()
for (const name of ['sync', 'datasync']) {
  Reflect.set(handles, name, async function (this: { readonly fd: number }) {
    sync(this.fd)
  })
}
for (const name of ['fsyncSync', 'fdatasyncSync']) Reflect.set(fs, name, sync)
syncBuiltinESMExports()
