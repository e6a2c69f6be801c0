import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const modifiedAt = (path: string) =>
  statSync(`${root}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Builds what worker threads and the tests of processes run, unless no source has changed since. */
export default function setup(): void {
  const sources = ['src', 'clients/typescript/src', 'web'].flatMap((folder) => [
    folder,
    ...readdirSync(root + folder, { recursive: true }).map((path) => `${folder}/${path}`),
  ])
  const newest = Math.max(...['tsconfig.json', ...sources].map(modifiedAt))
  const isBuilt = modifiedAt('dist/tsconfig.tsbuildinfo') > newest
  // What tsc alone leaves out.
  if (isBuilt && modifiedAt('dist/swagger-ui/NOTICE') > 0) return
  // Types are for `npm run typecheck`: a mistake in one file does not keep other tests from running.
  execFileSync(process.execPath, [`${root}build.js`, '--noCheck'], { stdio: 'inherit' })
}
