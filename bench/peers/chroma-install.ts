import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { commandOf } from '../../test/shared/search-path.ts'
import { note } from '../../test/shared/time.ts'

const version = '1.5.9'
const installMs = 900_000

const run = promisify(execFile)

/** The command `chroma`, in a virtual environment that is kept in the user's cache; undefined when it cannot be had. */
export async function installChroma(): Promise<string | undefined> {
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(caches, 'semblance-bench', `chromadb-${version}`)
  const command = join(folder, 'bin', 'chroma')
  if (existsSync(command)) return command
  const python = commandOf('python3')
  if (python === undefined) {
    note('peers: Chroma is left out, as there is no python3')
    return undefined
  }
  note(`peers: installing Chroma ${version} in ${folder}`)
  const options = { timeout: installMs }
  try {
    await mkdir(dirname(folder), { recursive: true })
    await run(python, ['-m', 'venv', folder], options)
    const pip = join(folder, 'bin', 'pip')
    await run(pip, ['install', '--quiet', `chromadb==${version}`], options)
    return command
  } catch (error) {
    const [reason] = String(error).split('\n')
    note(`peers: Chroma is left out, as it could not be installed: ${reason}`)
    await rm(folder, { recursive: true, force: true })
    return undefined
  }
}

export const chromaName = `Chroma ${version}`
