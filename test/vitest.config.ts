import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { isDue, isFullRun, isLeftOut, numberOf } from './support/run/full-run.ts'
import { LongestFirst } from './support/run/longest-first.ts'

/** What TEST_DATABASE_URL names. */
const server = process.env['TEST_CITUS_WORKERS'] ? 'citus' : 'postgres'
const engines = process.env['TEST_DATABASE_URL'] ? ['embedded', server] : ['embedded']

/** The embedded engine has vectors in memory and no search indexes. */
const onlyFor = (engine: string) =>
  engine !== 'embedded' ? ['test/search-indexes/**/*.test.ts'] : []

/** What a coordinator shows nothing of: test/db/distribution.test.ts says what each statement asks of the workers. */
const plansOnWorkers = [
  ...['export', 'neighbours', 'storage'].map((what) => `test/db/${what}-plans.test.ts`),
  ...['filter-plans', 'search-plans', 'search-plans-stale'].map(
    (what) => `test/search-indexes/${what}.test.ts`,
  ),
]
/** They begin with a database as older versions made it, which none that is distributed has been. */
const olderStates = ['migrations', 'start-locks'].map((what) => `test/db/${what}.test.ts`)

const root = new URL('..', import.meta.url).pathname
const testsIn = (folder: string) =>
  readdirSync(`${root}test/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${folder}/${file}`)

/** The number of this run of CI where it has both engines: it tries each file on one, and next time on the other. */
const { TEST_TURN: run } = process.env
const alternating = run !== undefined && engines.length > 1 && server !== 'citus'
const onBoth = alternating ? ['api', 'db', 'search-indexes'].flatMap(testsIn) : []
const onOther = (ofServer: 0 | 1) =>
  onBoth.filter((file) => (numberOf(file) + Number(run) + ofServer) % 2 === 0)
/** So an engine sees a file in three of seven runs. */
const alternatingTurn = alternating
  ? { TEST_TURN: `${Math.floor(Number(run) / 2)}`, TEST_TURNS: '3' }
  : {}

/**
 * What starts servers and takes no sample itself: CI tries a third of it, and what is due with Bun; but what
 * everybody meets each time.
 */
const met = /(first-start|postgres|smoke|stopping)\.test/
const servers = testsIn('process').filter(
  (file) => !met.test(file) && !/sampled\(|isDue\(/.test(readFileSync(root + file, 'utf8')),
)

const exclusions: Record<string, string[]> = {
  embedded: onOther(0),
  postgres: onOther(1),
  process: servers.filter((file) => isLeftOut(numberOf(file), 3) && !isDue(numberOf(file))),
  citus: [...plansOnWorkers, ...olderStates],
}

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
    // V8 does not optimize WebAssembly then, which takes longer than it saves in so short a run.
    execArgv: isFullRun ? [] : ['--liftoff-only'],
    sequence: { sequencer: LongestFirst },
    projects: [
      ...engines.map((engine) => ({
        extends: true as const,
        test: {
          name: engine,
          include: ['test/api/**/*.test.ts', 'test/db/**/*.test.ts', ...onlyFor(engine)],
          exclude: exclusions[engine] ?? [],
          globalSetup: ['test/support/run/build-setup.ts', 'test/support/run/global-setup.ts'],
          setupFiles: ['test/support/secrets/vitest-setup.ts'],
          provide: { engine },
          env: alternatingTurn,
        },
      })),
      {
        extends: true as const,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          globalSetup: ['test/support/run/build-setup.ts'],
        },
      },
      {
        extends: true as const,
        test: {
          name: 'process',
          include: ['test/process/**/*.test.ts'],
          exclude: exclusions['process'] ?? [],
          globalSetup: ['test/support/run/build-setup.ts', 'test/support/servers/process-setup.ts'],
          setupFiles: ['test/support/secrets/vitest-setup.ts'],
          testTimeout: 300_000,
        },
      },
    ],
  },
})
