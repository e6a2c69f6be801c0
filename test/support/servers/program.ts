import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { commandOf, searchPath } from '../../shared/search-path.ts'
import { watch } from '../secrets/watch.ts'

/** What runs the built program; without a command it is not on this machine. */
export interface Runtime {
  readonly name: 'Node' | 'Bun'
  readonly command: string | undefined
  readonly flags: readonly string[]
}

/** A start on the embedded engine is a third quicker when V8 does not optimize its code. */
const nodeFlags = ['--liftoff-only']
export const node: Runtime = {
  name: 'Node',
  // The tests themselves may run on Bun, where there is no Node.
  command: process.versions['bun'] === undefined ? process.execPath : undefined,
  flags: nodeFlags,
}
export const bun: Runtime = { name: 'Bun', command: commandOf('bun'), flags: [] }
/** What is tried on one of them. */
export const usual = node.command === undefined ? bun : node
for (const { name, command } of [node, bun]) {
  if (command === undefined) process.stderr.write(`SKIPPED: nothing is tried on ${name}\n`)
}

/** The program as `npm run build` made it. */
export const builtMain = fileURLToPath(new URL('../../../dist/main.js', import.meta.url))

export interface Surroundings {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** The keys and passwords that a program is given, or has generated in its folder. */
function learnSecrets({ folder, env }: Surroundings): void {
  for (const [name, value] of Object.entries(env)) {
    if (/(KEY|PASSWORD)$/.test(name)) watch.secrets.add(value)
    if (name.endsWith('_FILE') && existsSync(join(folder, value))) {
      watch.secrets.add(readFileSync(join(folder, value), 'utf8').trim())
    }
  }
  for (const name of ['admin.key', 'encryption.key', 'encryption.key.new']) {
    const file = join(folder, 'data', name)
    if (existsSync(file)) watch.secrets.add(readFileSync(file, 'utf8'))
  }
}

/** One run of a command, with what it has printed so far; it may have printed no secret in the end. */
export class Program {
  stdout = ''
  stderr = ''
  /** The exit code, or the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals | null>
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>

  constructor(command: string, args: readonly string[], at: Surroundings) {
    const { folder, env } = at
    this.#child = spawn(command, args, {
      cwd: folder,
      env: { PATH: searchPath, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    // Most end without having read it.
    this.#child.stdin.on('error', () => {})
    this.#child.stdin.end()
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.stdout += text
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text
    })
    this.exit = once(this.#child, 'close').then(([code, signal]) => {
      learnSecrets(at)
      watch.output(`the output of ${command} ${args.join(' ')}`, this.stdout + this.stderr)
      return signal ?? code
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Waits until standard error, where the log is, matches. @throws with all output when the program ends before */
  async said(pattern: RegExp): Promise<string> {
    for (let ended = false; ; ) {
      const match = pattern.exec(this.stderr)
      if (match !== null) return match[1] ?? match[0]
      if (ended) throw new Error(`ended without saying ${pattern}:\n${this.stdout}${this.stderr}`)
      const more = once(this.#child.stderr, 'data').then(() => false)
      ended = await Promise.race([more, this.exit.then(() => true)])
    }
  }

  /** The lines of the log so far. */
  get log(): Record<string, unknown>[] {
    const lines = this.stderr.split('\n').filter((line) => line.startsWith('{'))
    return lines.map((line) => JSON.parse(line))
  }
}

/** Starts the built program. */
export function semblance(runtime: Runtime, args: readonly string[], at: Surroundings): Program {
  if (runtime.command === undefined) throw new Error(`${runtime.name} is not installed`)
  return new Program(runtime.command, [...runtime.flags, builtMain, ...args], at)
}

export interface Outcome {
  readonly exit: number | NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** All that a refused command prints, and how it ends. */
export const refused = (message: string): Outcome => ({
  exit: 1,
  stdout: '',
  stderr: `semblance: ${message}\n`,
})
/** What a migration prints. */
export const upToDate: Outcome = { exit: 0, stdout: 'The database is up to date\n', stderr: '' }

export async function toItsEnd(program: Program): Promise<Outcome> {
  const exit = await program.exit
  return { exit, stdout: program.stdout, stderr: program.stderr }
}
