const user = 'postgres'

/**
 * What runs a program of PostgreSQL below `root` (a chroot, or '') as a user whom it does not refuse.
 * Both commands replace themselves by the program, so that the process number is the program's.
 */
export function prefixFor(root: string): string[] {
  if (root !== '') return ['chroot', `--userspec=${user}:${user}`, root]
  if (process.getuid?.() !== 0) return []
  return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups']
}
