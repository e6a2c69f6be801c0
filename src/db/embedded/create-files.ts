import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { workerScript } from '../../concurrency/worker-script.ts'

/** A first start takes seconds, and minutes where twenty others want the processor as well. */
const withinMs = 900_000

/**
 * Makes the files of a new database where there are none, in a process of its own: initdb is a second
 * WebAssembly program, and what it takes (200 to 400 MB) would be kept by this process. The files get
 * their place when they are complete, so that no interrupted start leaves half of them there.
 * @throws Error with what the process has said
 */
export async function createFiles(files: string): Promise<void> {
  const unfinished = `${files}.new.`
  await removeLeftOvers(unfinished)
  if (existsSync(files)) return
  const made = unfinished + process.pid
  await runInitdb(made).catch(async (error) => {
    // Where the disk is full they would keep it so.
    await rm(made, { recursive: true, force: true }).catch(() => {})
    throw error
  })
  await rename(made, files)
}

/** Of starts that were killed. The process of one may still be writing, and ends soon after. */
async function removeLeftOvers(unfinished: string): Promise<void> {
  const folder = dirname(unfinished)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(basename(unfinished))) continue
    const untilEmpty = { maxRetries: 10, retryDelay: 20 }
    await rm(join(folder, name), { recursive: true, force: true, ...untilEmpty }).catch(() => {})
  }
}

async function runInitdb(folder: string): Promise<void> {
  const script = workerScript(import.meta.url, './initdb.ts')
  const child = fork(script, [folder], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: withinMs,
    killSignal: 'SIGKILL',
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code, signal] = await once(child, 'close')
  process.off('exit', kill)
  if (code !== 0) throw new Error(`initdb ended with ${signal ?? code}:\n${said}`)
}
