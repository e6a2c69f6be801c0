import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { prefixFor } from '../shared/postgres-user.ts'

/** Where PostgreSQL's programs are, and how they are run by somebody whom they do not refuse. */
export interface Binaries {
  /** A folder below which the programs see the file system, or '' for the whole of it. */
  readonly root: string
  command(program: string, args: readonly string[]): readonly [string, ...string[]]
}

const usualFolder = '/usr/lib/postgresql/18/bin'

/** @throws saying what to set when there are none */
export function findBinaries(env: NodeJS.ProcessEnv): Binaries {
  const root = env['TORTURE_POSTGRES_ROOT'] ?? ''
  const asked = env['TORTURE_POSTGRES_BIN']
  const onPath = root === '' ? (env['PATH'] ?? '').split(delimiter) : []
  const folders = asked === undefined ? [usualFolder, ...onPath] : [asked]
  const bin = folders.find((folder) => existsSync(join(root, folder, 'initdb')))
  if (bin === undefined) {
    throw new Error(
      `there is no initdb in ${root}${asked ?? usualFolder}${asked === undefined ? ' or on PATH' : ''}; set TORTURE_POSTGRES_BIN to the folder of PostgreSQL's programs (and TORTURE_POSTGRES_ROOT where they are in a chroot), or choose --only=embedded`,
    )
  }
  const prefix = prefixFor(root)
  return {
    root,
    command: (program, args) => {
      const [command = '', ...rest] = [...prefix, join(bin, program), ...args]
      return [command, ...rest]
    },
  }
}
