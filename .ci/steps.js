/**
 * What CI tries, all of it each time, two steps beside each other: the longest first, and last those that keep both
 * processors busy. `again` marks tests of Vitest: it runs the files again that failed; other steps run again whole.
 *
 * @typedef {{ name: string, command: string, processors?: 2, again?: string }} Step
 */

const vitest = 'npx vitest run --config test/vitest.config.ts'
const onCitus = `.ci/with-citus ${vitest} --project citus`
const torture = 'node test/torture/dist/test/torture/main.js --short --only='
const faults = 'server,embedded,files,postgres,backend,commit,sigterm,crowd,power,bodies,oracle'

/** @type {Step[]} */
export const steps = [
  { name: 'Python client', command: '.ci/python' },
  { name: 'torture', command: `.ci/with-servers ${torture}${faults}` },
  // On one engine: the tests ask the API below them on both.
  { name: 'pages, on the embedded database', command: 'unset TEST_DATABASE_URL; .ci/pages' },
  { name: 'Execute on every operation of /docs', command: '.ci/swagger' },
  { name: 'release', command: '.ci/release' },
  { name: 'a clone starts, with npm and with Bun alone', command: '.ci/newcomer starts' },
  { name: 'package', command: '.ci/package' },
  { name: 'generated clients', command: '.ci/clients' },
  { name: 'torture on Citus', command: `.ci/with-citus ${torture}citus` },
  { name: 'words, with a real model', command: '.ci/words' },
  {
    name: 'lint, types, migrations',
    command: 'npm run lint && npm run typecheck && npm run db:check',
  },
  { name: 'what Compose, Kubernetes and systemd read', command: '.ci/deploy' },
  { name: 'npm test in a fresh clone', command: '.ci/newcomer tests', processors: 2 },
  { name: 'bun run test in a fresh clone', command: '.ci/newcomer bun', processors: 2 },
  {
    name: 'tests, but for those of the fresh clones',
    command: `TEST_QUICK=done ${vitest}`,
    processors: 2,
    again: vitest,
  },
  {
    name: 'tests on Citus, of what has statements on embeddings',
    command: `${onCitus} test/db test/search test/api/{embeddings,filters,neighbours,project-files,search,statistics}`,
    processors: 2,
    again: onCitus,
  },
]
