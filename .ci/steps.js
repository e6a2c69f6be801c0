/**
 * What CI tries. A step without `turn` and `concerns` runs each time; the others run once in seven times, and
 * whenever a file below one of `concerns` has changed since CI last passed.
 *
 * `processors` is how many a step keeps busy, of two. `again` marks tests of Vitest: it is what runs the failed
 * files again. Other steps are run again whole.
 *
 * @typedef {{ name: string, command: string, processors: 1 | 2, again?: string, turn?: number, concerns?: string[] }} Step
 */

const onCitus = '.ci/with-citus npx vitest run --config test/vitest.config.ts --project citus'
const torture = '.ci/with-servers node test/torture/dist/test/torture/main.js --short --only='

/** What generated clients are made with; the turns after these have none. */
const generators = [
  'openapi_fetch',
  'hey_api',
  'openapi_python_client',
  'generated_python',
  'generated_java',
]
/** What faults are injected into, besides those that are each time. */
const faults = [
  ['backend', 'commit'],
  ['sigterm', 'races'],
  ['soak', 'crowd'],
  ['servers'],
  ['muted', 'cancels'],
  ['oracle', 'power'],
  ['bodies'],
]
/** What decides how embeddings are found and where they are. */
const search = ['src/search', 'src/vectors', 'src/filters']
const database = ['src/db', 'src/collections', 'drizzle', 'test/support/servers/citus.ts']

/** @type {(turn: number, hasChanged: (...paths: string[]) => boolean) => Step[]} */
const stepsOf = (turn, hasChanged) => [
  {
    name: 'a clone starts, with npm and with Bun alone',
    command: '.ci/newcomer starts',
    processors: 1,
  },
  {
    name: 'lint, types, migrations',
    command: 'npm run lint && npm run typecheck && npm run db:check',
    processors: 1,
  },
  {
    name: `pages${turn === 2 ? ', on PostgreSQL too' : ''}`,
    command: `${turn === 2 ? '' : 'unset TEST_DATABASE_URL; '}.ci/pages`,
    processors: 1,
  },
  { name: 'package', command: '.ci/package', processors: 1 },
  {
    name: 'Python client',
    command: turn === 4 || hasChanged('clients/python') ? '.ci/python' : '.ci/python newest',
    processors: 1,
  },
  ...(turn < generators.length
    ? [{ name: 'a generated client', command: `.ci/clients ${generators[turn]}`, processors: 1 }]
    : []),
  {
    name: 'all generated clients',
    command: '.ci/clients',
    processors: 1,
    concerns: ['test/clients', '.ci/clients'],
  },
  {
    name: 'Execute on every operation of /docs',
    command: '.ci/swagger',
    processors: 1,
    turn: 1,
    concerns: ['src/service/docs', 'test/swagger', '.ci/swagger', 'package-lock.json'],
  },
  {
    name: 'release',
    command: '.ci/release',
    processors: 1,
    turn: 3,
    concerns: [
      '.ci/release',
      'Dockerfile',
      'package.json',
      'start.js',
      'clients/python/pyproject.toml',
    ],
  },
  {
    name: 'words, with a real model',
    command: '.ci/words',
    processors: 1,
    turn: 5,
    concerns: ['src/providers', 'src/text-embedding', 'test/words', '.ci/words'],
  },
  {
    name: 'what Compose, Kubernetes and systemd read',
    command: '.ci/deploy',
    processors: 1,
    turn: 6,
    concerns: ['deploy', 'compose.yaml', 'Dockerfile', '.ci/deploy'],
  },
  {
    name: 'npm test',
    // The environment of the Python client's tests has what the code samples need.
    command: `python=$(ls /var/tmp/semblance-python/3.*/bin/python | tail -n 1 || true)
      [ -z "$python" ] || export TEST_PYTHON="$python"
      npm test`,
    processors: 2,
    again: 'npm test --',
  },
  {
    name: 'npm test in a fresh clone, without servers',
    command: '.ci/newcomer tests',
    processors: 2,
    turn: 0,
  },
  {
    name: 'tests on Citus',
    command: onCitus,
    processors: 2,
    again: onCitus,
    turn: 6,
    concerns: [...database, 'test/db'],
  },
  {
    name: 'torture on Citus',
    command: '.ci/with-citus node test/torture/dist/test/torture/main.js --short --only=citus',
    processors: 1,
    turn: 6,
    concerns: [...database, 'test/torture/citus'],
  },
  { name: 'torture', command: `${torture}server,postgres,embedded`, processors: 1 },
  { name: `torture: ${faults[turn]}`, command: `${torture}${faults[turn]}`, processors: 1 },
  {
    name: 'torture: oracle, since searches have changed',
    command: `${torture}oracle`,
    processors: 1,
    concerns: turn === 5 ? [] : search,
  },
]

/** @type {(turn: number, hasChanged: (...paths: string[]) => boolean) => Step[]} */
export const dueSteps = (turn, hasChanged) =>
  stepsOf(turn, hasChanged).filter(
    ({ turn: due, concerns }) =>
      (due === undefined && concerns === undefined) ||
      due === turn ||
      hasChanged(...(concerns ?? [])),
  )
