/**
 * What CI tries. Some steps run each time. The others are in groups, of which a run tries one: see `chooseGroup`.
 * A long group takes the place of `starts` and `packages`.
 *
 * `processors` is how many a step keeps busy, of two. `again` marks tests of Vitest: it is what runs the failed
 * files again. Other steps are run again whole.
 *
 * @typedef {{ name: string, command: string, processors?: 2, again?: string }} Step
 * @typedef {{ name: string, concerns: string[], isLong?: true, steps: Step[] }} Group
 */

const vitest = 'npx vitest run --config test/vitest.config.ts'
const onCitus = `.ci/with-citus ${vitest} --project citus`
const torture = (modes) =>
  `.ci/with-servers node test/torture/dist/test/torture/main.js --short --only=${modes}`

/** With a PostgreSQL of its own as the database of the service. */
const onNewServer = (command) =>
  `unset TEST_DATABASE_URL
  .ci/with-servers sh -c 'export SERVICE_DATABASE_URL="$TEST_DATABASE_URL"; unset TEST_DATABASE_URL; ${command}'`

/** Modes of torture besides those that are each time. */
const faults = ['postgres', 'backend', 'commit,sigterm', 'crowd', 'power', 'bodies', 'oracle']

/**
 * The longest first, and those for which all processors are needed last.
 * @type {(turn: number, group?: Group) => Step[]}
 */
export const stepsOfEachRun = (turn, group) => [
  ...(group?.isLong ? [] : [starts(turn), packages]),
  {
    name: `torture: server, embedded, files, ${faults[turn % 7]}`,
    command: torture(`server,embedded,files,${faults[turn % 7]}`),
  },
  {
    name: 'lint, types, migrations',
    command: 'npm run lint && npm run typecheck && npm run db:check',
  },
  {
    name: 'npm ci && npm test in a fresh clone, without servers',
    command: '.ci/newcomer tests',
    processors: 2,
  },
  {
    name: 'tests, also those that npm test leaves out',
    command: vitest,
    processors: 2,
    again: vitest,
  },
]

/** @type {(turn: number) => Step} */
const starts = (turn) => ({
  name: 'a clone starts, with npm and with Bun alone',
  // What npm and Bun have fetched for the checkout is not fetched again, but for once in seven runs.
  command: `${turn % 7 === 0 ? '' : 'npm_config_cache=~/.npm BUN_INSTALL_CACHE_DIR=~/.bun/install/cache '}.ci/newcomer starts`,
})

/** @type {Step} */
const packages = { name: 'package', command: '.ci/package' }

/** Half of the files each. @type {(half: 1 | 2) => Group} */
const testsOnCitus = (half) => ({
  name: `tests on Citus, half ${half}`,
  concerns: ['src/db', 'src/collections', 'drizzle', 'test/db', 'test/support/servers/citus.ts'],
  isLong: true,
  steps: [
    {
      name: `tests on Citus, half ${half}`,
      command: `${onCitus} --shard=${half}/2`,
      processors: 2,
      again: onCitus,
    },
  ],
})

/** Those who have waited for so many runs are tried first: more than there are groups, so that what has changed rarely waits. */
const longestWait = 7

/** @type {Group[]} */
export const groups = [
  {
    name: 'bun run test in a fresh clone, with Bun alone',
    concerns: ['package.json', 'bunfig.toml', 'build.js', 'test/vitest.config.ts', 'test/support'],
    isLong: true,
    steps: [
      {
        name: 'bun run test in a fresh clone, with Bun alone',
        command: '.ci/newcomer bun',
        processors: 2,
      },
    ],
  },
  {
    name: 'Python, pages',
    concerns: [
      'clients/python',
      '.ci/python',
      'web',
      'src/pages',
      'build-guides.js',
      'test/pages',
      '.ci/pages',
    ],
    steps: [
      { name: 'Python client', command: '.ci/python newest' },
      {
        name: 'pages, on the two engines by turns',
        command: `if ((TEST_TURN % 2)); then ${onNewServer('.ci/pages')}; else unset TEST_DATABASE_URL; .ci/pages; fi`,
      },
    ],
  },
  testsOnCitus(1),
  {
    name: '/docs, release',
    concerns: [
      ...['src/service/docs', 'test/swagger', '.ci/swagger'],
      ...['.ci/release', 'Dockerfile', 'package.json', 'start.js'],
    ],
    steps: [
      { name: 'Execute on every operation of /docs', command: '.ci/swagger' },
      { name: 'release', command: '.ci/release' },
    ],
  },
  testsOnCitus(2),
  {
    name: 'words, the oldest Python, generated clients, torture on Citus',
    concerns: [
      ...['src/providers', 'src/text-embedding', 'test/words', '.ci/words'],
      ...['deploy', '.ci/deploy', 'test/clients', '.ci/clients'],
    ],
    steps: [
      { name: 'Python client, with the oldest Python', command: '.ci/python oldest' },
      { name: 'generated clients', command: '.ci/clients' },
      { name: 'words, with a real model', command: '.ci/words' },
      { name: 'what Compose, Kubernetes and systemd read', command: '.ci/deploy' },
      {
        name: 'torture on Citus',
        command: '.ci/with-citus node test/torture/dist/test/torture/main.js --short --only=citus',
      },
    ],
  },
]

/**
 * Chooses the group that a run tries: what has waited for longest, if that is seven runs, else of what is concerned. No
 * two groups wait for equally long, so that none waits for more than seven.
 * @param tried the number of the run that has tried each group last, as far as that is known
 * @type {(run: number, tried: Record<string, number>, concerned: string[]) => Group | undefined}
 */
export function chooseGroup(run, tried, concerned) {
  const waits = (group) => run - (tried[group.name] ?? turnBefore(run, groups.indexOf(group)))
  const sorted = groups.toSorted((a, b) => waits(b) - waits(a))
  if (waits(sorted[0]) >= longestWait) return sorted[0]
  return sorted.find(({ name }) => concerned.includes(name))
}

/** The last run before this one whose number has this remainder. */
const turnBefore = (run, remainder) => run - 1 - ((run - 1 - remainder + longestWait) % longestWait)
