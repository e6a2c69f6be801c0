import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prefixFor } from '../../shared/postgres-user.ts'
import { searchPath } from '../../shared/search-path.ts'

/** Below this folder, as below `/` elsewhere, are PostgreSQL's programs and PgBouncer. */
export const root = process.env['TEST_POSTGRES_ROOT'] ?? ''
const usualFolders = ['/usr/lib/postgresql/18/bin', '/usr/sbin']
const folders = root === '' ? [...usualFolders, ...searchPath.split(delimiter)] : usualFolders

/** The path of a program, as it is below the root. */
export function programOf(name: string): string | undefined {
  const folder = folders.find((candidate) => existsSync(join(root, candidate, name)))
  if (folder === undefined) {
    process.stderr.write(
      `SKIPPED: there is no ${name} below TEST_POSTGRES_ROOT or on PATH, so what needs one of our own is not tried\n`,
    )
  }
  return folder && join(folder, name)
}

/** The command that runs a program as a user whom it does not refuse. */
export function commandFor(name: string, args: readonly string[]): [string, ...string[]] {
  const [command = '', ...rest] = [...prefixFor(root), programOf(name) ?? name, ...args]
  return [command, ...rest]
}

/** A folder that the programs may write to, and what runs in it. */
export abstract class Daemon {
  readonly port: number
  /** As we see it. */
  readonly folder: string
  #process: ChildProcess | undefined

  constructor(port: number) {
    this.port = port
    this.folder = mkdtempSync(`${root}/tmp/semblance-cluster-`)
    chmodSync(this.folder, 0o777)
  }

  /** As the programs see it. */
  get inside(): string {
    return this.folder.slice(root.length)
  }

  protected get running(): ChildProcess | undefined {
    const child = this.#process
    return child?.exitCode === null && child.signalCode === null ? child : undefined
  }

  protected spawn(name: string, args: readonly string[]): ChildProcess {
    const log = openSync(join(this.folder, 'log'), 'a')
    const [command, ...rest] = commandFor(name, args)
    // Citus looks for certificates there: not in root's home, which it may not read.
    const env = { ...process.env, HOME: this.inside }
    const child = spawn(command, rest, { stdio: ['ignore', log, log], cwd: '/', env })
    this.#process = child
    return child
  }

  /** Tries `attempt` until it works. @throws with the log when it never does, and stops */
  protected async until<T>(attempt: () => Promise<T>): Promise<T> {
    for (const deadline = Date.now() + 60_000; ; await sleep(50)) {
      try {
        return await attempt()
      } catch (error) {
        if (Date.now() < deadline) continue
        const log = readFileSync(join(this.folder, 'log'), 'utf8')
        await this.stop()
        throw new Error(log, { cause: error })
      }
    }
  }

  /** At once, as a crash does. */
  async crash(): Promise<void> {
    const { running } = this
    if (running === undefined) return
    running.kill('SIGQUIT')
    await once(running, 'exit')
  }

  async stop(): Promise<void> {
    await this.crash()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
