import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { lstat, open, readFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'

/** The name of this process in a lock. */
export const ownName = (): string => `${process.pid} ${startTime(process.pid)}`

/**
 * Creates an entry of a lock that shows whether this process still exists: a socket that it listens
 * on. If none can be created, as outside of Linux and on some mounted file systems, it is a file
 * that names the process.
 * @returns a function that ends it
 */
export async function hold(entry: string): Promise<() => void> {
  const server = createServer((asking) => asking.destroy()).unref()
  try {
    await nearby(entry, async (path) => {
      server.listen(path)
      await once(server, 'listening')
    })
    server.on('error', () => {})
  } catch {
    await writeFile(entry, basename(entry), { mode: 0o600 })
  }
  return () => void server.close()
}

/** @returns words for the process that holds an entry; undefined if it is gone */
export async function holderOf(entry: string): Promise<string | undefined> {
  const isSocket = await lstat(entry).then(
    (found) => found.isSocket(),
    () => false,
  )
  if (isSocket && !(await isAnswered(entry))) return undefined
  const name = isSocket ? basename(entry) : await readFile(entry, 'utf8').catch(() => '')
  if (isRunning(name)) return `process ${name.split(' ')[0]}`
  return isSocket ? 'a process in another container' : undefined
}

/** Whether a process listens. The kernel answers, in whichever container the process is. */
async function isAnswered(socket: string): Promise<boolean> {
  try {
    await nearby(socket, async (path) => {
      const asking = connect(path)
      await once(asking, 'connect').finally(() => asking.destroy())
    })
    return true
  } catch (error) {
    return !['ECONNREFUSED', 'ENOENT'].includes(Object(error).code)
  }
}

/**
 * Calls `work` with a short path of a socket, because a socket's address has room for 107 bytes.
 */
async function nearby(socket: string, work: (path: string) => Promise<unknown>): Promise<void> {
  const folder = await open(dirname(socket))
  try {
    await work(join(`/proc/self/fd/${folder.fd}`, basename(socket)))
  } finally {
    await folder.close()
  }
}

/** Whether this names another process that still exists. */
function isRunning(name: string): boolean {
  const pid = Number(name.split(' ')[0])
  return pid > 0 && pid !== process.pid && name === `${pid} ${startTime(pid)}`
}

/**
 * When a process started, in a form that a reused process number does not repeat; '' if it is gone.
 */
function startTime(pid: number): string {
  try {
    // These are fields 3, 20 and 22 of /proc/<pid>/stat. The name in field 2 may hold spaces, so
    // this counts from its end.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const { 0: state, 17: threads, 19: started = 'unknown' } = fields
    // The process has ended with all of its threads, but its parent has not collected its status.
    return state === 'Z' && Number(threads) <= 1 ? '' : started
  } catch {
    return isAlive(pid) ? 'unknown' : ''
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
