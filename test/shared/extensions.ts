import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Whether an extension is installed beside PostgreSQL.
 * @param initdb the command that runs its initdb
 * @param root below which that sees the file system
 */
export function isInstalled(extension: string, initdb: readonly string[], root: string): boolean {
  const [command = '', ...args] = initdb
  const show = [...args, '--show', '-D', '/nowhere']
  const { stdout, stderr } = spawnSync(command, show, { encoding: 'utf8', cwd: '/' })
  const [, share = ''] = /^share_path=(.+)$/m.exec(stdout + stderr) ?? []
  return existsSync(`${root}${share}/extension/${extension}.control`)
}
