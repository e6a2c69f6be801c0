import { spawnSync } from 'node:child_process'

/** What runs programs in Python. */
export const python = process.env['TEST_PYTHON'] ?? 'python3'

/** Whether it is there, with these modules; says what is not done else. @param modules such as `json, hashlib` */
export function hasPython(modules: string, skipped: string): boolean {
  const isThere = spawnSync(python, ['-c', `import ${modules}`]).status === 0
  if (!isThere) {
    process.stderr.write(
      `SKIPPED: there is no ${python} with ${modules} (TEST_PYTHON may name one), so ${skipped}\n`,
    )
  }
  return isThere
}
