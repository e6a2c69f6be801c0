import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const modifiedAt = (path: string) =>
  statSync(`${root}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Builds what worker threads and the tests of processes run, unless no source has changed since. */
export default function setup(): void {
  const sources = readdirSync(`${root}src`, { recursive: true }).map((path) => `src/${path}`)
  const newest = Math.max(...['tsconfig.json', 'src', ...sources].map(modifiedAt))
  if (modifiedAt('dist/tsconfig.tsbuildinfo') > newest) return
  // Types are for `npm run typecheck`: a mistake in one file does not keep other tests from running.
  execFileSync(`${root}node_modules/.bin/tsc`, ['--build', '--noCheck'], {
    cwd: root,
    stdio: 'inherit',
  })
}
