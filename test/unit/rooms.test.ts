import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linesIn, namesIn } from '../support/documents.ts'
import { circlesIn, type Import, importsIn } from '../support/imports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The rooms of each line, the first above all others. */
const lines = linesIn('docs/architecture.md', 'Import rule')
  .map((line) => line.split(' '))
  .filter(([first]) => first !== '')

/** `access` of `src/access/caller.ts`; '' of the files of src itself, but for main.ts. */
function roomOf(file: string): string {
  const name = file.split('/')[1] ?? ''
  return name.endsWith('.ts') && name !== 'main.ts' ? '' : name.replace(/\.ts$/, '')
}

function lineOf(file: string): number {
  const line = lines.findIndex((rooms) => rooms.includes(roomOf(file)))
  return line === -1 ? lines.length : line
}

/** Imports of another room that is not below. */
const rising = (imports: readonly Import[]) =>
  imports.filter(([from, to]) => roomOf(from) !== roomOf(to) && lineOf(to) <= lineOf(from))

/** Pairs of rooms that import each other. */
const mutual = (imports: readonly Import[]) => {
  const rooms = new Set(imports.map(([from, to]) => `${roomOf(from)} ${roomOf(to)}`))
  return [...rooms].filter((pair) => {
    const [from = '', to = ''] = pair.split(' ')
    return from < to && rooms.has(`${to} ${from}`)
  })
}

describe('the rooms of src', () => {
  const imports = importsIn(root, 'src/tsconfig.json', 'src/')

  it('have a place each in the order of the document', () => {
    const rooms = namesIn('src').filter((name) => !/\.(ts|json)$/.test(name))
    expect(lines.flat().sort()).toEqual([...rooms, 'main'].sort())
  })

  it('do not import each other, and only what is below', () => {
    expect(imports.length).toBeGreaterThan(1_000)
    expect(mutual(imports)).toEqual([])
    expect(rising(imports)).toEqual([])
  })

  it('have no files that import one another in a circle', () => {
    expect(circlesIn(imports)).toEqual([])
  })
})

it.each(['bench', 'web'])('%s has no files that import one another in a circle', (folder) => {
  const imports = importsIn(root, `${folder}/tsconfig.json`, `${folder}/`)
  expect(imports.length).toBeGreaterThan(50)
  expect(circlesIn(imports)).toEqual([])
})

describe('what holds the order', () => {
  const folder = temporaryFolder(afterAll)

  const files = {
    'tsconfig.json': '{"compilerOptions":{"module":"nodenext"},"include":["src"]}',
    'src/errors.ts': "import type { Page } from './db/page.ts'",
    'src/db/page.ts': "export type Page = import('../access/caller.ts').Caller",
    'src/access/caller.ts': "import '../db/page.ts'\nexport interface Caller {}",
    'src/http/later.ts': "import '../errors.ts'\nexport const later = () => import('./types.ts')",
    'src/http/types.ts': "export { type Later } from './again.ts'",
    'src/http/again.ts': "import type { later } from './later.ts'\nimport '../../gone.ts'",
  }

  beforeAll(async () => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
  })

  it('finds each breach, however it is written', () => {
    const imports = importsIn(folder, 'tsconfig.json', 'src/')
    expect(mutual(imports)).toEqual(['access db'])
    expect(rising(imports).sort()).toEqual([
      ['src/db/page.ts', 'src/access/caller.ts'],
      ['src/errors.ts', 'src/db/page.ts'],
    ])
    expect(circlesIn(imports).map((circle) => circle.sort())).toEqual([
      ['src/access/caller.ts', 'src/db/page.ts'],
      ['src/http/again.ts', 'src/http/later.ts', 'src/http/types.ts'],
    ])
  })
})
