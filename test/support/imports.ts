import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export type Import = readonly [from: string, to: string]

const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace(/package\.json$/, 'bin/tsc')

/**
 * Which files below `folder` import which, as the compiler reads them: types count, and so does what is
 * imported later.
 * @param root of the paths
 * @param project a tsconfig.json of which the files are part
 */
export function importsIn(root: string, project: string, folder: string): Import[] {
  const args = [tsc, '--project', join(root, project), '--listFilesOnly', '--explainFiles']
  const explained = execFileSync(process.execPath, args, {
    ...{ cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 },
  })
  const imports = new Map<string, Import>()
  let to = ''
  for (const line of explained.split('\n')) {
    if (!line.startsWith(' ')) to = line
    const from = /^ +Imported via .* from file '([^']+)'/.exec(line)?.[1]
    if (!from?.startsWith(folder) || !to.startsWith(folder)) continue
    imports.set(`${from} ${to}`, [from, to])
  }
  return [...imports.values()]
}

/** Files that import one another in a circle; one circle of those that touch. */
export function circlesIn(imports: readonly Import[]): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start !== -1) return void circles.push(path.slice(start))
    if (done.has(file)) return
    for (const [from, to] of imports) if (from === file) visit(to, [...path, file])
    done.add(file)
  }
  for (const [from] of imports) visit(from, [])
  return circles
}
