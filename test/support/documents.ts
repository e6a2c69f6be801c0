import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'

const root = new URL('../../', import.meta.url)

export const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')
export const isThere = (path: string) => existsSync(new URL(path, root))

/** The paths of all files below a folder. */
export const filesIn = (folder: string) =>
  readdirSync(new URL(folder, root), { encoding: 'utf8', recursive: true })
    .map((name) => posix.join(folder, name))
    .filter((path) => statSync(new URL(path, root)).isFile())

const below = (folder: string) => filesIn(folder).filter((path) => path.endsWith('.md'))

/** The documents for people, by their paths. */
export const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'bench/README.md'],
  ...below('bench/measured/').sort(),
  'clients/python/README.md',
  'clients/typescript/README.md',
  'test/torture/README.md',
  ...below('docs/').sort(),
]

/** What `ls` lists in a folder. */
export const namesIn = (folder: string, recursive = false) =>
  readdirSync(new URL(folder, root), { encoding: 'utf8', recursive })

const fence = /^ *```[\s\S]*?^ *```/gm
const proseOf = (path: string) => textOf(path).replace(fence, '')

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of proseOf(path).matchAll(/^#+ +(.*)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** The links of a document into this repository that lead nowhere. */
export function brokenLinks(path: string): string[] {
  const text = proseOf(path).replace(/`[^`\n]*`/g, '')
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#')
      const found = file === '' ? path : posix.join(posix.dirname(path), file)
      if (!isThere(found)) return true
      return anchor !== undefined && !anchorsOf(found).has(anchor)
    })
}

const placeRule = /^(?:src|test|docs|drizzle|bench|examples|deploy|\.ci)\/[\w./-]*(?:#[\w.#]+)?$/

/** What a document names in backticks: a path, with or without `#` and a function in that file. */
export const placesIn = (path: string): string[] =>
  [...proseOf(path).matchAll(/`([^`\n]+)`/g)]
    .map(([, span = '']) => span)
    .filter((span) => placeRule.test(span))

/** Whether a place exists: its file and, where one is named, the function or class in it. */
export function exists(place: string): boolean {
  const at = place.indexOf('#')
  if (at === -1) return isThere(place)
  const file = place.slice(0, at)
  return isThere(file) && declares(textOf(file), place.slice(at + 1))
}

const topLevel =
  '(?:export )?(?:default )?(?:abstract )?(?:async )?(?:function\\*?|class|const|let|interface|type|enum) '
const member = '\\s+(?:(?:async|static|get|set|readonly|override|function\\*?|const) )*\\*?'

/** @param name of a declaration, or `owner.member` for a method or a function within one */
export function declares(source: string, name: string): boolean {
  const [owner = '', inside] = name.split('.')
  const from = lineWith(source, topLevel, owner)
  if (from === -1 || inside === undefined) return from !== -1
  const end = source.indexOf('\n}', from)
  return lineWith(source.slice(from, end === -1 ? undefined : end), member, inside) !== -1
}

const lineWith = (source: string, before: string, name: string) =>
  source.search(new RegExp(`^${before}${name}(?![\\w$])`, 'm'))

/** The lines of the first block of text below a heading. */
export function linesIn(path: string, heading: string): string[] {
  const [, section = ''] = textOf(path).split(`\n## ${heading}\n`)
  const [, block = ''] = section.split(/^```\w*$/m)
  return block.split('\n')
}

/** The paths of an annotated tree: an indented name on each line, a description behind it. */
export function treeIn(path: string, heading: string): string[] {
  const folders: string[] = []
  return linesIn(path, heading).flatMap((line) => {
    const [, indent = '', name] = /^( *)(\S+)/.exec(line) ?? []
    if (name === undefined) return []
    folders.length = indent.length / 2
    const found = folders.join('') + name
    folders.push(name)
    return [found]
  })
}
