import { describe, expect, it } from 'vitest'
import type { SettingInfo } from '../../src/config/setting.ts'
import { settings } from '../../src/config/settings.ts'
import { strategiesFor } from '../../src/search/search.ts'
import {
  brokenLinks,
  declares,
  documents,
  exists,
  filesIn,
  isThere,
  namesIn,
  placesIn,
  textOf,
  treeIn,
} from '../support/documents.ts'

const all: SettingInfo[] = Object.values(settings)
const secretFiles = all.filter(({ isSecret }) => isSecret).map(({ env }) => `${env}_FILE`)
const names = new Set([...all.map(({ env }) => env), ...secretFiles])

/** The rows of tables of settings, up to their meaning: environment variable, flag and default. */
const rowsIn = (path: string) =>
  [...textOf(path).matchAll(/^\| `[A-Z_]+` \| [^|]* \| [^|]* \|/gm)].map(([row]) =>
    row.replaceAll('`', ''),
  )

function rowOf({ env, flag, alias, default: value }: SettingInfo): string {
  const flags = [alias && `-${alias}`, flag && `--${flag}`].filter(Boolean).join(', ')
  return `| ${env} | ${flags || 'none'} | ${value} |`
}

/** The settings that a file speaks of; `SERVICE_DB*` stands for several. */
const mentionedIn = (path: string) =>
  [...textOf(path).matchAll(/\b(?:SERVICE_[A-Z_]*|ENCRYPTION_KEY\w*)\*?/g)].map(([name]) => name)
const isKnown = (name: string) =>
  name.endsWith('*')
    ? [...names].some((known) => known.startsWith(name.slice(0, -1)))
    : names.has(name)

describe.each(documents)('%s', (path) => {
  it('links to files and headings that exist', () => {
    expect(brokenLinks(path)).toEqual([])
  })

  it('names files, folders and functions that exist', () => {
    expect(placesIn(path).filter((place) => !exists(place))).toEqual([])
  })

  it('names settings that exist, with their flags and defaults', () => {
    expect(mentionedIn(path).filter((name) => !isKnown(name))).toEqual([])
    const right = new Set(all.map(rowOf))
    expect(rowsIn(path).filter((row) => !right.has(row))).toEqual([])
  })
})

describe('the documents', () => {
  it('describe every setting', () => {
    const documented = new Set(rowsIn('docs/configuration.md'))
    expect(all.map(rowOf).filter((row) => !documented.has(row))).toEqual([])
    const template = new Set(mentionedIn('.env.example'))
    expect(all.filter(({ env }) => !template.has(env))).toEqual([])
  })

  it('show the layout as it is', () => {
    const tree = treeIn('docs/architecture.md', 'Layout')
    expect(tree.filter((path) => !isThere(path))).toEqual([])
    const shown = new Set(tree.map((path) => path.replace(/\/$/, '')))
    expect(namesIn('src').filter((name) => !shown.has(`src/${name}`))).toEqual([])
  })

  it('name every strategy of a search where they say which is chosen', () => {
    const booleans = [false, true]
    const chosen = booleans.flatMap((exact) =>
      booleans.flatMap((isFiltered) =>
        booleans.flatMap((inMemory) =>
          booleans.flatMap((canScan) =>
            (['none', 'reaches', 'falls short'] as const).flatMap((index) =>
              strategiesFor({ exact, isFiltered, inMemory, canScan, index }),
            ),
          ),
        ),
      ),
    )
    const table = textOf('docs/flows/search.md').match(/^ +\|.*\|$/gm) ?? []
    const cells = table.slice(2).flatMap((row) => row.split('|').slice(2))
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name))
    expect(new Set(named)).toEqual(new Set(chosen))
  })

  it.each([
    ...['.env.example', 'Dockerfile'],
    ...namesIn('.').filter((name) => /^compose.*\.yaml$/.test(name)),
    ...filesIn('deploy'),
  ])('%s names no other setting', (path) => {
    expect(mentionedIn(path).filter((name) => !isKnown(name))).toEqual([])
  })
})

describe('what checks them', () => {
  const source = `export class Pool {
  async transaction<T>() {}
  #take() {}
}
export async function* listParts<Item>() {
  const first = 1
}
const at = 1
// function gone()
`

  it('finds declarations, and members where they belong', () => {
    for (const name of ['Pool', 'Pool.transaction', 'Pool.#take', 'listParts', 'at']) {
      expect(declares(source, name), name).toBe(true)
    }
    for (const name of ['Poo', 'transaction', 'Pool.first', 'Pool.take', 'gone', 'listParts.at']) {
      expect(declares(source, name), name).toBe(false)
    }
  })

  it('misses what is not there', () => {
    expect(exists('src/main.ts')).toBe(true)
    expect(exists('src/gone.ts')).toBe(false)
    expect(exists('src/gone.ts#main')).toBe(false)
    expect(exists('src/errors.ts#ServiceError')).toBe(true)
    expect(exists('src/errors.ts#Nothing')).toBe(false)
  })
})
