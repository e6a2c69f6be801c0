import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A script for the pages. Its file name contains a content hash, so browsers may cache it for ever.
 */
export interface Script {
  readonly file: string
  readonly source: string
}

/** hono/jsx/dom, which every island needs. It runs before the islands. */
export const libraryScript = 'library'

/** The packages that islands may import, each with its file in Hono's package. */
const library: Readonly<Record<string, string>> = {
  'hono/jsx/dom': 'jsx/dom/index.js',
  'hono/jsx/dom/jsx-runtime': 'jsx/dom/jsx-runtime.js',
}

/**
 * The compiler's output for browsers. When the service runs from source, as in tests, this is the
 * output of the last build.
 */
const built = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/browser' : '../browser', import.meta.url),
)

/**
 * Bundles each island with the modules of ours that it imports, and Hono on its own. Without
 * bundling, a page of forty modules would take forty requests, six at a time, which takes seconds
 * on a slow network. The compiler and Hono's package provide CommonJS, so joining modules only
 * takes a function around each. No path comes from a request.
 * @param islands names of modules in src/pages/browser
 */
export function readScripts(islands: readonly string[]): ReadonlyMap<string, Script> {
  const shared = new Map<string, string>()
  const hono = honoFolder()
  for (const file of Object.values(library)) collect(shared, hono, file)
  const scripts = new Map([[libraryScript, scriptOf(libraryScript, registry + joined(shared))]])
  for (const island of islands) {
    const modules = new Map<string, string>()
    const entry = `pages/browser/${island}.js`
    collect(modules, built, entry)
    scripts.set(island, scriptOf(island, `${joined(modules)}semblance.start('${entry}')\n`))
  }
  return scripts
}

/** Registers modules by file name and runs each when it is first required, as Node does. */
const registry = `'use strict'
const semblance = (() => {
  const sources = new Map()
  const started = new Map()
  const start = (file) => {
    const before = started.get(file)
    if (before !== undefined) return before.exports
    const module = { exports: {} }
    started.set(file, module)
    const { run, files } = sources.get(file)
    run((name) => start(files[name]), module, module.exports)
    return module.exports
  }
  return { add: (file, files, run) => sources.set(file, { files, run }), start }
})()
`

/** Adds a module and everything it requires, each once. */
function collect(modules: Map<string, string>, root: string, file: string): void {
  if (modules.has(file)) return
  // Marked as visited before its imports are followed, because they may import it in turn.
  modules.set(file, '')
  const source = readFileSync(join(root, file), 'utf8')
  const files: Record<string, string> = {}
  for (const [, name = ''] of source.matchAll(/\brequire\("([^"]+)"\)/g)) {
    const ofHono = library[name]
    const found = ofHono ?? join(dirname(file), name).replaceAll(sep, '/')
    files[name] = found
    if (ofHono === undefined) collect(modules, root, found)
  }
  const named = `${JSON.stringify(file)}, ${JSON.stringify(files)}`
  modules.set(
    file,
    `semblance.add(${named}, function (require, module, exports) {\n${source}\n})\n`,
  )
}

const joined = (modules: ReadonlyMap<string, string>) => [...modules.values()].join('')

function scriptOf(name: string, source: string): Script {
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 16)
  return { file: `${name}.${hash}.js`, source }
}

/** The CommonJS folder of Hono's package. Runtimes differ in which build of it they resolve to. */
function honoFolder(): string {
  const found = createRequire(import.meta.url).resolve('hono/jsx/dom')
  const dist = join('hono', 'dist')
  return join(found.slice(0, found.lastIndexOf(dist)), dist, 'cjs')
}
