import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { markdown } from '../shared/table.ts'
import { note } from '../shared/time.ts'
import { findBinaries } from './binaries.ts'
import { Clusters } from './clusters.ts'
import { backend } from './modes/backend.ts'
import { bodies } from './modes/bodies.ts'
import { citus } from './modes/citus.ts'
import { commit } from './modes/commit.ts'
import { crowd } from './modes/crowd.ts'
import { embedded } from './modes/embedded.ts'
import { oracle } from './modes/oracle.ts'
import { postgres as postgresMode } from './modes/postgres.ts'
import { power } from './modes/power.ts'
import { server } from './modes/server.ts'
import { servers } from './modes/servers.ts'
import { sigterm } from './modes/sigterm.ts'
import { soak } from './modes/soak.ts'
import { type ModeName, modeNames, short, standard } from './plan.ts'
import type { Mode } from './stage.ts'
import { Tally } from './tally.ts'

const modes: Readonly<Record<ModeName, Mode>> = {
  server,
  backend,
  postgres: postgresMode,
  embedded,
  commit,
  sigterm,
  soak,
  crowd,
  servers,
  citus,
  oracle,
  bodies,
  power,
}
const onEmbedded: readonly ModeName[] = ['embedded', 'bodies', 'power']

const help = `Injects faults into the built server and looks whether anything acknowledged was lost.

npm run torture -- [--only=mode,mode] [--rounds=N] [--seed=S] [--minutes=M] [--bodies=text] [--posix] [--short]

  --only      some of ${modeNames.join(', ')}
  --rounds    faults of each mode (of bodies: kinds of them)
  --seed      of all that is random; printed at the start
  --minutes   how long soak and oracle go on
  --bodies    of bodies: those with this in 'operation: body'
  --posix     of power: a file system that does no more than POSIX promises
  --short     few rounds of every mode, for CI

TORTURE_POSTGRES_BIN and TORTURE_POSTGRES_ROOT: see test/torture/README.md
`

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    bodies: { type: 'string', default: '' },
    posix: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  process.stdout.write(help)
  process.exit(0)
}
const chosen = orRefuse(() => modesIn(flags.only))
const plan = flags.short ? short : standard
const seed = orRefuse(() => numberIn('seed', flags.seed)) ?? Math.floor(Math.random() * 2 ** 31)
const rounds = orRefuse(() => numberIn('rounds', flags.rounds))
const minutes = orRefuse(() => numberIn('minutes', flags.minutes)) ?? plan.soakMinutes
const binaries = chosen.some((name) => !onEmbedded.includes(name))
  ? orRefuse(() => findBinaries(process.env))
  : undefined
const folder = mkdtempSync(join(tmpdir(), 'semblance-torture-'))
note(`seed ${seed}; logs and data in ${folder}`)

const clusters = new Clusters(binaries, folder)

const tallies: Tally[] = []
const newTally = (mode: string) => {
  const tally = new Tally(mode)
  tallies.push(tally)
  return tally
}
let failure: unknown
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130))
try {
  for (const name of chosen) {
    const start = performance.now()
    const { crowd, thorough, bodiesSeconds } = plan
    const amounts = { rounds: rounds ?? plan.rounds[name], minutes, crowd, thorough, bodiesSeconds }
    const { bodies: bodiesNamed, posix } = flags
    await modes[name]({ ...amounts, bodiesNamed, posix, seed, folder, clusters, newTally })
    note(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
  }
} catch (error) {
  failure = error
}
await end(0)

async function end(code: number): Promise<never> {
  const violations = tallies.flatMap((tally) => tally.violations)
  const failed = failure !== undefined || violations.length > 0
  process.stdout.write(`\nSeed ${seed}\n\n${markdown(tallies.map((tally) => tally.row()))}\n`)
  if (failure !== undefined) process.stderr.write(`\n${describe(failure)}\n`)
  if (violations.length > 0) process.stdout.write(`\n${violations.slice(0, 100).join('\n')}\n`)
  const places = [folder, ...(await clusters.end(failed))]
  if (failed) process.stderr.write(`Logs and data are kept in ${places.join(' and ')}\n`)
  else rmSync(folder, { recursive: true, force: true })
  process.exit(failed ? 1 : code)
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** What was asked for cannot be done: one line is enough. */
function orRefuse<T>(ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    process.stderr.write(`torture: ${error instanceof Error ? error.message : error}\n`)
    return process.exit(2)
  }
}

function modesIn(only: string | undefined): ModeName[] {
  const asked = only?.split(',') ?? modeNames
  return asked.map((name) => {
    const mode = modeNames.find((known) => known === name)
    if (mode === undefined) throw new Error(`there is no mode '${name}'; see --help`)
    return mode
  })
}

function numberIn(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (text !== '' && number >= 0) return number
  throw new Error(`--${flag}=${text} is no number`)
}
