import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The file to start a worker thread with. Node 20 loads only JavaScript, so a program that runs
 * from its sources, as tests do, uses the workers of the last build.
 * @param caller `import.meta.url` of the module that starts the thread
 * @param source the worker's source, relative to the caller
 * @param sources the folder of all sources; the build is next to it, in `dist`
 * @throws Error if the build is missing, or older than a source that the worker loads
 */
export function workerScript(
  caller: string,
  source: `${'./' | '../'}${string}.ts`,
  sources = new URL('../', import.meta.url),
): URL {
  const url = new URL(source, caller)
  if (!caller.endsWith('.ts')) return new URL(url.href.replace(/ts$/, 'js'))
  const script = moved(url, sources, new URL('../dist/', sources), 'js')
  checkBuild(script, sources)
  return script
}

/** Checks a built file, and the files that it imports, against their sources. */
function checkBuild(script: URL, sources: URL): void {
  // A build does not touch files whose sources have not changed, and it writes this file last.
  const checkedAt = modifiedAt(new URL('../dist/tsconfig.tsbuildinfo', sources))
  const queue = new Set([script.href])
  for (const href of queue) {
    const built = new URL(href)
    const source = moved(built, new URL('../dist/', sources), sources, 'ts')
    const builtAt = modifiedAt(built)
    const changedAt = modifiedAt(source)
    if (builtAt === 0 || changedAt > Math.max(builtAt, checkedAt)) {
      const file = fileURLToPath(built)
      const origin = fileURLToPath(source)
      throw new Error(`${file} is missing or older than ${origin}; run npm run build first`)
    }
    for (const [, path = ''] of readFileSync(built, 'utf8').matchAll(/ from '(\.[^']+\.js)'/g)) {
      queue.add(new URL(path, built).href)
    }
  }
}

/** The same file below another folder, with another ending. */
const moved = ({ href }: URL, from: URL, to: URL, ending: 'js' | 'ts') =>
  new URL(href.slice(from.href.length).replace(/[jt]s$/, ending), to)

/** 0 if there is no such file. */
const modifiedAt = (file: URL) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
