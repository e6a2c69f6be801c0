import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A script of the pages: its name has a hash of what is in it, so that it may be kept for ever. */
export interface Script {
  readonly file: string
  readonly source: string
}

/** What all islands need, and run first: hono/jsx/dom. */
export const libraryScript = 'library'

/** What islands may import besides modules of ours, and where Hono's package has it. */
const library: Readonly<Record<string, string>> = {
  'hono/jsx/dom': 'jsx/dom/index.js',
  'hono/jsx/dom/jsx-runtime': 'jsx/dom/jsx-runtime.js',
}

/** What the compiler has made for browsers; of the last build where this runs from its source, as in tests. */
const built = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/browser' : '../browser', import.meta.url),
)

/**
 * The scripts of the islands, each with the modules of ours that it imports, and the one of Hono. A page of
 * forty modules would make a browser ask forty times, six at a time, which takes seconds on a slow network.
 * The compiler and Hono's package have the modules as CommonJS, so that joining them needs no more than a
 * function around each. No path comes from a request.
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

/** Knows modules by their files, and runs each when it is first required, as Node does. */
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

/** Adds a module and what it requires, each once. */
function collect(modules: Map<string, string>, root: string, file: string): void {
  if (modules.has(file)) return
  // Before those that require it in turn.
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

/** Where Hono's package has CommonJS; runtimes differ in which of its forms they resolve to. */
function honoFolder(): string {
  const found = createRequire(import.meta.url).resolve('hono/jsx/dom')
  const dist = join('hono', 'dist')
  return join(found.slice(0, found.lastIndexOf(dist)), dist, 'cjs')
}
