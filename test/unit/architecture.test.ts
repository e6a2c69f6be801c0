import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** One statement in one file; of what the linter says of it, this must be part. */
interface Planted {
  readonly file: string
  readonly statement: string
  readonly refusal: string
}

const planted: Planted[] = []
const found = new Map<string, string[]>()
const placeOf = (file: string, statement: string) => `${file}: ${statement}`

/** As a file imports it: a package as it is, a file of ours (`src/…`) by its relative path. */
function specifier(file: string, imported: string): string {
  if (!imported.startsWith('src/')) return imported
  const path = relative(dirname(file), imported)
  return path.startsWith('.') ? path : `./${path}`
}
const importing = (file: string, imported: string) => `import '${specifier(file, imported)}'`

const plant = (file: string, statement: string, refusal: string) =>
  void planted.push({ file, statement, refusal })

const depths = ['src/new.ts', 'src/users/new.ts', 'src/users/keys/new.ts', 'src/a/b/c/new.ts']
const routes = [
  ...['src/users/routes.ts', 'src/users/key-routes.ts', 'src/users/keys/routes.ts'],
  'src/a/b/c/routes.ts',
]
const schemas = ['src/users/schemas.ts', 'src/users/keys/schemas.ts', 'src/a/b/c/schemas.ts']
const http = ['src/http/new.ts', 'src/http/body/new.ts', 'src/http/a/b/new.ts']
const servers = ['src/server/node.ts', 'src/server/bun.ts', 'src/server/listening.ts']
const outer = ['src/cli/new.ts', 'src/cli/a/new.ts', 'src/server/a/new.ts']
const room = (name: string) => [
  `src/${name}/new.ts`,
  `src/${name}/a/new.ts`,
  `src/${name}/a/b/new.ts`,
]

const hono = ['hono', 'hono/cors', '@hono/zod-openapi', '@hono/node-server']
const sql = [
  ...['drizzle-orm', 'drizzle-orm/pg-core', 'src/db/schema.ts', 'src/db/key-schema.ts'],
  'src/db/database.ts',
]
const ownHttp = ['src/http/operation.ts', 'src/http/body/read-body.ts']
const engines = ['src/db/postgres/pool.ts', 'src/db/embedded/engine.ts']
const nouns = ['src/users/users.ts', 'src/service/metrics/metrics.ts', 'src/a-new-noun/it.ts']

/** Which imports are refused in which files, with which words. */
const breaches: [refusal: string, files: string[], imports: string[]][] = [
  ['business rules know no HTTP', [...depths, ...room('db')], [...hono, ...ownHttp]],
  ['business rules know no HTTP', [...outer, 'src/server/startup.ts'], hono],
  ['schemas are shapes', schemas, ['hono', '@hono/node-server', 'src/http/operation.ts']],
  ['queries belong', [...routes, ...schemas, ...http, ...servers, ...outer], sql],
  ['queries belong', ['src/new.ts', ...room('config')], sql],
  ['never its routes', [...depths, ...routes, ...http], ['src/projects/routes.ts']],
  ['never its routes', [...schemas, 'src/server/new.ts'], ['src/sharing/project-routes.ts']],
  ['belongs to src/db/postgres', [...depths, ...routes, ...outer, ...room('db')], ['postgres']],
  ['belongs to src/db/postgres', ['src/db/embedded/new.ts'], ['postgres']],
  [
    'PGlite belongs to src/db/embedded',
    [...depths, ...outer, ...room('db/postgres')],
    ['@electric-sql/pglite', '@electric-sql/pglite-pgvector'],
  ],
  ['engines are behind', [...depths, ...routes, ...room('db'), ...outer], engines],
  [
    'engines are behind',
    ['src/server/app.ts', 'src/db/embedded/new.ts'],
    ['src/db/postgres/pool.ts'],
  ],
  ['take z from', [...depths, ...routes, ...schemas, ...http, 'src/cli/new.ts'], ['zod', 'zod/v4']],
  [
    'know the server, the commands and the settings',
    [...depths, ...routes, ...http],
    ['src/server/app.ts', 'src/cli/flags.ts', 'src/config/config.ts', 'src/main.ts'],
  ],
  ['read in src/main.ts alone', [...depths, ...outer, 'src/main.ts'], ['node:process', 'process']],
  ['src/http knows no feature', http, [...nouns, 'src/secrets/sealing.ts', 'src/db/row-locks.ts']],
  ['src/access knows no feature', room('access'), nouns],
  ['src/db knows no feature', [...room('db'), ...room('db/postgres')], nouns],
  ['src/secrets knows no feature', room('secrets'), nouns],
  ['src/concurrency imports nothing', room('concurrency'), [...nouns, 'src/log.ts']],
  ['src/config imports no other room', room('config'), [...nouns, 'src/db/errors.ts']],
  [
    'a file of src itself',
    ['src/new.ts', 'src/errors.ts'],
    [...nouns, 'src/concurrency/limiter.ts'],
  ],
]

/** What is refused wherever it stands, and by which rule. */
const statements: [rule: string, statement: string][] = [
  ['noProcessEnv', 'export const home = process.env'],
  ['noConsole', 'console.log(1)'],
  ['noDefaultExport', 'export default 1'],
  ['noBarrelFile', "export { parse } from 'yaml'"],
  ['noReExportAll', "export * from 'yaml'"],
  ['noExplicitAny', 'export const loose: any = 1'],
  ['noFloatingPromises', 'Promise.resolve(1)'],
  ['noNonNullAssertion', "export const sure = 'a'.at(0)!"],
]

/** However it is written, and wherever, an import is one. */
const forms = [
  ...["import type { Hono } from 'hono'", "export { Hono } from 'hono'"],
  ...["export const later = () => import('hono')", "export type Later = import('hono').Hono"],
]

for (const [refusal, files, imports] of breaches) {
  for (const file of files) {
    for (const imported of imports) plant(file, importing(file, imported), refusal)
  }
}
for (const file of [...depths, 'src/cli/new.ts', 'src/http/new.ts']) {
  for (const [rule, statement] of statements) plant(file, statement, rule)
}
for (const file of depths) {
  for (const statement of forms) plant(file, statement, 'business rules know no HTTP')
}
plant('src/main.ts', 'console.log(1)', 'noConsole')

/** Every statement alone in a line of its file; a file's name decides which rules hold. */
async function writePlanted(folder: string): Promise<Map<string, string[]>> {
  const files = new Map<string, string[]>()
  for (const { file, statement } of planted) {
    const lines = files.get(file) ?? []
    if (!lines.includes(statement)) files.set(file, [...lines, statement])
  }
  for (const [file, lines] of files) {
    await mkdir(join(folder, dirname(file)), { recursive: true })
    await writeFile(join(folder, file), `${lines.join('\n')}\n`)
  }
  return files
}

interface Report {
  readonly diagnostics: readonly {
    readonly category: string
    readonly message: string
    readonly location: { readonly path: string; readonly start: { readonly line: number } }
  }[]
}

function lint(folder: string): Promise<Report> {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
  const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr))
      else resolve(JSON.parse(stdout))
    })
  })
}

describe('the linter', () => {
  const folder = temporaryFolder(afterAll)

  beforeAll(async () => {
    for (const name of ['biome.json', 'package.json', 'test/lint']) {
      await cp(join(root, name), join(folder, name), { recursive: true })
    }
    const files = await writePlanted(folder)
    for (const { category, message, location } of (await lint(folder)).diagnostics) {
      const statement = files.get(location.path)?.[location.start.line - 1] ?? ''
      const place = placeOf(location.path, statement)
      found.set(place, [...(found.get(place) ?? []), `${category} ${message}`])
    }
  })

  it('refuses each breach of the architecture at every depth, in so many words', () => {
    const missed = planted.filter(
      ({ file, statement, refusal }) =>
        !found.get(placeOf(file, statement))?.some((text) => text.includes(refusal)),
    )
    expect(missed).toEqual([])
  })
})
