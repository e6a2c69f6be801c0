import { existsSync, readdirSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './support/run/longest-first.ts'
import { isQuickRun } from './support/run/quick-run.ts'

/** What TEST_DATABASE_URL names. */
const server = process.env['TEST_CITUS_WORKERS'] ? 'citus' : 'postgres'
const engines = process.env['TEST_DATABASE_URL'] ? ['embedded', server] : ['embedded']

/** What a coordinator shows nothing of: test/db/distribution.test.ts says what each statement asks of the workers. */
const plansOnWorkers = [
  ...['export', 'storage'].map((what) => `test/db/${what}-plans.test.ts`),
  ...['filter', 'search'].map((what) => `test/search/index/${what}-plans.test.ts`),
]
/** They begin with a database as older versions made it, which none that is distributed has been. */
const olderStates = ['migrations', 'start-locks'].map((what) => `test/db/${what}.test.ts`)

const root = new URL('..', import.meta.url).pathname
const testsIn = (folder: string) =>
  readdirSync(`${root}test/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${folder}/${file}`)

const named = (folder: string, names: string) =>
  names.split(/\s+/).map((name) => `test/${folder}/${name}.test.ts`)

/**
 * What `npm test` leaves out, so that it takes three minutes; `npm run verify` and CI try these too. To run one:
 * `npm run try -- test/db/move.test.ts`.
 */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  'starts servers of its own; the other three show that the built program starts, works and stops':
    testsIn('process').filter((file) => !/\/(first-start|smoke|stopping)\.test/.test(file)),
  'waits for clocks: keys that end, slow readers, locks': [
    ...named('api/access', 'rights-of-streams'),
    ...named('api/embeddings', 'upload-lines-streams'),
    ...named('api/project-files', 'export-slow export-snapshot import-slow'),
  ],
  'tries every case of a table, or many of what others try few of': [
    ...named('api/access', 'authorization key-scopes'),
    ...named('api/embeddings', 'metadata refusals vectors'),
    ...named('api/http', 'fuzz'),
    ...named('api/search', 'body precision'),
    ...named('api/text-embedding', 'provider-faults queries'),
    ...named('api/project-files', 'import'),
    ...named('api/users', 'limited-keys named-keys'),
    ...named('unit', 'json-fault json-schema-suite'),
  ],
  'makes more databases, or looks at all that a server writes': [
    ...named('api/secrets', 'secrets'),
    ...named('db', 'distribute embedded-restart migrations move newer-database'),
    ...named('unit', 'file-modes folder-lock'),
  ],
  'keeps the processor busy: large projects and bodies, crowds, hostile input': [
    ...named('api/embeddings', 'races'),
    ...named('api/filters', 'large tenants'),
    ...named('api/http', 'body-limit compression concurrency fairness large-bodies'),
    ...named('api/maps', 'map'),
    ...named('api/metadata-schemes', 'metadata-cost'),
    ...named('api/neighbours', 'jobs neighbours'),
    ...named('api/search', 'long-groups words-memory'),
    ...named('api/service', 'sanity-check'),
    ...named(
      'search/memory',
      `memory-after-restore other-dimensions similars-memory-servers
      vector-files vector-files-servers vector-memory-gone vector-memory-notes`,
    ),
    ...named('db', 'export-plans filter-pieces'),
    ...named(
      'unit',
      'fair-reading json-vectors measured-lists metadata-schemes nearest sign-codes worker-thread',
    ),
  ],
}
const leftOutFiles = Object.values(leftOut).flat()
for (const file of leftOutFiles) {
  if (!existsSync(root + file)) throw new Error(`${file} is left out of npm test, and is not there`)
}

const all = (...folders: string[]) => folders.map((folder) => `test/${folder}/**/*.test.ts`)
/** CI has tried `npm test` before, and does not repeat what that tries in the same way. */
const isRest = process.env['TEST_QUICK'] === 'done'
/** For what reads bodies, asks providers and checks metadata, it makes no difference which database there is. */
const asOnPostgres = /^test\/api\/(http\/(?!fuzz)|metadata-schemes|text-embedding)/
const notTriedBefore = (...folders: string[]) =>
  isRest
    ? leftOutFiles.filter(
        (file) =>
          !asOnPostgres.test(file) && folders.some((folder) => file.startsWith(`test/${folder}/`)),
      )
    : all(...folders)

const filesOf: Readonly<Record<string, readonly string[]>> = {
  unit: notTriedBefore('unit'),
  // It has vectors in memory and no search indexes.
  embedded: notTriedBefore('api', 'db', 'search/memory'),
  postgres: all('api', 'db', 'search'),
  citus: all('api', 'db', 'search'),
  // Also on Bun and PostgreSQL.
  process: all('process'),
}
const filesFor = (project: string) => ({
  name: project,
  include: [...(filesOf[project] ?? [])],
  exclude: [
    ...(isQuickRun ? leftOutFiles : []),
    ...(project === 'citus' ? [...plansOnWorkers, ...olderStates] : []),
  ],
})

/** Where CI reads which tests have failed. */
const report = process.env['TEST_REPORT']

export default defineConfig({
  test: {
    root,
    ...(report !== undefined && { reporters: ['default', ['json', { outputFile: report }]] }),
    // What is hung ends some time: on a machine that others keep busy all takes ten times as long.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // One database for each worker, kept for all of its files. One worker more than the usual two cores:
    // tests wait much, for servers to start and for limits to pass.
    maxWorkers: 3,
    isolate: false,
    // Otherwise zod has no `z` where the tests run on Bun.
    deps: { interopDefault: false },
    // V8 does not optimize WebAssembly then, which takes longer than it saves in so short a run.
    execArgv: ['--liftoff-only'],
    sequence: { sequencer: LongestFirst },
    projects: [
      ...engines.map((engine) => ({
        extends: true as const,
        test: {
          ...filesFor(engine),
          globalSetup: ['test/support/run/build-setup.ts', 'test/support/run/global-setup.ts'],
          setupFiles: ['test/support/secrets/vitest-setup.ts'],
          provide: { engine },
        },
      })),
      {
        extends: true as const,
        test: { ...filesFor('unit'), globalSetup: ['test/support/run/build-setup.ts'] },
      },
      {
        extends: true as const,
        test: {
          ...filesFor('process'),
          globalSetup: ['test/support/run/build-setup.ts', 'test/support/servers/process-setup.ts'],
          setupFiles: ['test/support/secrets/vitest-setup.ts'],
          testTimeout: 300_000,
        },
      },
    ],
  },
})
