import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { isQuickRun } from './quick-run.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const modifiedAt = (path: string) =>
  statSync(`${root}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0

const changedAt = (...folders: readonly string[]) =>
  Math.max(
    ...folders.flatMap((folder) => [
      modifiedAt(folder),
      ...readdirSync(root + folder, { recursive: true }).map((path) =>
        modifiedAt(`${folder}/${path}`),
      ),
    ]),
  )

/** Builds what the tests use of a build, unless no source has changed since. */
export default function setup({ name }: TestProject): void {
  if (isQuickRun && name === 'unit') {
    process.stderr.write(
      'Leaving out what test/vitest.config.ts lists (npm run verify tries all)\n',
    )
  }
  const isCompiled =
    modifiedAt('dist/tsconfig.tsbuildinfo') >
    Math.max(modifiedAt('tsconfig.json'), changedAt('src', 'clients/typescript/src'))
  // What tsc alone leaves out.
  const isBundled = modifiedAt('dist/web/main.js') > changedAt('web')
  if (isCompiled && isBundled && modifiedAt('dist/swagger-ui/NOTICE') > 0) return
  // Types are for `npm run typecheck`: a mistake in one file does not keep other tests from running.
  execFileSync(process.execPath, [`${root}build.js`, '--noCheck'], { stdio: 'inherit' })
}
