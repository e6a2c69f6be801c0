import {
  type ChildProcess,
  type ChildProcessByStdio,
  execFileSync,
  spawn,
} from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { memoryOf } from '../test/shared/memory.ts'
import { commandOf, searchPath } from '../test/shared/search-path.ts'
import { note, within } from '../test/shared/time.ts'
import { undoing } from './undo.ts'

const program = fileURLToPath(new URL('../../../dist/main.js', import.meta.url))
const startMs = 60_000

export interface Runtime {
  readonly name: string
  readonly command: string
  /** What the service was built as; that of this checkout if undefined. */
  readonly program?: string
}

/** That of the bench itself. */
export const ownRuntime: Runtime = {
  name: `Node ${process.versions.node}`,
  command: process.execPath,
}

/** The Node or Bun of this name or path. */
export function runtimeAt(place: string): Runtime {
  // Servers run in folders of their own.
  const command = place.includes(sep) ? resolve(place) : place
  const version = execFileSync(command, ['--version'], { encoding: 'utf8' }).trim()
  const program = basename(command).startsWith('bun') ? 'Bun' : 'Node'
  return { name: `${program} ${version.replace('v', '')}`, command }
}

/** The one that was chosen; where none was, that of the bench, and Bun when it is on PATH. */
export function runtimesFor(chosen: Runtime): Runtime[] {
  const bun = chosen === ownRuntime ? commandOf('bun') : undefined
  return bun === undefined ? [chosen] : [chosen, runtimeAt(bun)]
}

export interface Server {
  readonly url: string
  readonly adminKey: string
  /** From the start of the process to the first 200. */
  readonly startedIn: number
  /** When it said that it listens, as performance.now() counts. */
  readonly listeningAt: number
  /** Megabytes of memory, now and at most; not known outside Linux. */
  memory(): { readonly now: number | undefined; readonly peak: number | undefined }
  readonly pid: number
}

type Settings = Readonly<Record<string, string>>

const adminKey = 'the-administrators-key-of-the-bench'
const common: Settings = {
  PATH: searchPath,
  SERVICE_HOST: '127.0.0.1',
  SERVICE_PORT: '0',
  SERVICE_ADMINKEY: adminKey,
  ENCRYPTION_KEY: 'the-encryption-key-of-the-bench-32+',
}

/** A project of any size stays exact, so that no index is built meanwhile. */
export const noIndexes: Settings = { SERVICE_EXACTBUDGET: String(10 ** 12) }

export function databaseSettings(database: string): Settings {
  const url = new URL(database)
  return {
    SERVICE_DBHOST: url.hostname,
    SERVICE_DBPORT: url.port || '5432',
    SERVICE_DBUSER: decodeURIComponent(url.username),
    SERVICE_DBPASSWORD: decodeURIComponent(url.password),
    SERVICE_DBNAME: url.pathname.slice(1),
  }
}

/** Lets `use` have an empty folder, and removes it. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'semblance-bench-'))
  return undoing(
    () => rm(folder, { recursive: true, force: true }),
    () => use(folder),
  )
}

/** Lets `use` have the built server, running in a folder of its own, and stops it. */
export const withServer = <T>(
  runtime: Runtime,
  settings: Settings,
  use: (server: Server) => Promise<T>,
) => withFolder((folder) => withServerIn(folder, runtime, settings, use))

export async function withServerIn<T>(
  folder: string,
  runtime: Runtime,
  settings: Settings,
  use: (server: Server) => Promise<T>,
): Promise<T> {
  const start = performance.now()
  const child = spawn(runtime.command, [runtime.program ?? program, 'serve'], {
    cwd: folder,
    env: { ...common, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return undoing(
    () => stop(child),
    async () => {
      const url = await within(listening(child), startMs, 'the start of the server')
      const listeningAt = performance.now()
      await within(ready(url), startMs, 'the first answer of the server')
      const startedIn = performance.now() - start
      const { pid = 0 } = child
      const memory = () => memoryOf(pid)
      return await use({ url, adminKey, startedIn, listeningAt, memory, pid })
    },
  )
}

/** Reads the log to its end, or the server could not go on writing; what is no news of its is noted. */
function listening(child: ChildProcessByStdio<null, null, Readable>): Promise<string> {
  return new Promise((resolve, reject) => {
    let last = ''
    createInterface({ input: child.stderr }).on('line', (line) => {
      last = line
      if (!/^{"level":"(info|debug)"/.test(line)) note(line)
      const url = /is listening on (http\S+) /.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.on('exit', () => reject(new Error(`the server ended at its start: ${last}`)))
    child.on('error', reject)
  })
}

async function ready(url: string): Promise<void> {
  while ((await statusOf(`${url}/readyz`)) !== 200) await sleep(5)
}

export const statusOf = (url: string) =>
  new Promise<number | undefined>((resolve) => {
    get(url, (answer) => resolve(answer.resume().statusCode)).on('error', () => resolve(undefined))
  })

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await within(ended, 15_000, 'the stop of the server').catch(() => child.kill('SIGKILL'))
}
