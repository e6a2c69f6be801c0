import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { commandOf, searchPath } from '../../shared/search-path.ts'
import { hasPython, python } from '../python.ts'
import type { Surroundings } from '../servers/program.ts'

export interface Printed {
  readonly printed: string
  /** Why the program has ended before its end. */
  readonly failure: string | null
}

/** Runs one program after another. */
export interface Interpreter {
  run(source: string): Promise<Printed>
  end(): Promise<void>
}

const runner = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** One process for all programs. */
function lasting(command: string, script: string, { folder, env }: Surroundings): Interpreter {
  const child = spawn(command, [script], {
    cwd: folder,
    env: { PATH: searchPath, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async run(source) {
      child.stdin.write(`${JSON.stringify(source)}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`${command} has ended at\n${source}`)
      return JSON.parse(value)
    },
    async end() {
      child.stdin.end()
      await ended
    },
  }
}

/** A process for each program. */
const shell = ({ folder, env }: Surroundings): Interpreter => ({
  run: (source) =>
    new Promise((resolve) => {
      const options = { cwd: folder, env: { PATH: searchPath, ...env } }
      execFile('sh', [runner('run.sh'), source], options, (error, stdout, stderr) =>
        resolve({ printed: stdout, failure: error && stderr }),
      )
    }),
  end: async () => {},
})

function hasCurl(): boolean {
  const isThere = commandOf('curl') !== undefined
  if (!isThere) {
    process.stderr.write('SKIPPED: there is no curl on PATH, so no sample in curl is run\n')
  }
  return isThere
}

/** What runs the samples of each language, as far as it is on this machine. */
export const interpreters = [
  ...(hasCurl() ? [{ label: 'curl', start: shell }] : []),
  ...(hasPython('requests', 'no sample in Python is run')
    ? [{ label: 'Python', start: (at: Surroundings) => lasting(python, runner('run.py'), at) }]
    : []),
  {
    label: 'JavaScript',
    start: (at: Surroundings) => lasting(process.execPath, runner('run.js'), at),
  },
]
