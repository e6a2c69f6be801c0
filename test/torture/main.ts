import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { markdown } from '../shared/table.ts'
import { note } from '../shared/time.ts'
import { bodies } from './modes/bodies.ts'
import { citus } from './modes/citus.ts'
import { crowd } from './modes/crowd.ts'
import { files } from './modes/files.ts'
import { backend, commit, embeddedServer, postgres, server, sigterm } from './modes/kills.ts'
import { oracle } from './modes/oracle.ts'
import { power } from './modes/power.ts'
import { soak } from './modes/soak.ts'
import { Cluster } from './postgres.ts'
import type { Mode } from './stage.ts'
import { Tally } from './tally.ts'

/** With the rounds of each, and those of --short. */
const modes: Readonly<Record<string, readonly [mode: Mode, rounds: number, short: number]>> = {
  server: [server, 200, 3],
  backend: [backend, 200, 3],
  postgres: [postgres, 200, 2],
  embedded: [embeddedServer, 200, 4],
  commit: [commit, 50, 3],
  sigterm: [sigterm, 20, 1],
  power: [power, 200, 6],
  files: [files, 200, 3],
  crowd: [crowd, 1, 1],
  bodies: [bodies, 2_000, 100],
  soak: [soak, 1, 1],
  oracle: [oracle, 2, 2],
  citus: [citus, 50, 3],
}
const names = Object.keys(modes)

const help = `Injects faults into the built server and looks whether anything acknowledged was lost.

npm run torture -- [--only=mode,mode] [--rounds=N] [--seed=S] [--minutes=M] [--bodies=text] [--short]

  --only      some of ${names.join(', ')}
  --rounds    faults of each mode (of bodies: kinds of them)
  --seed      of all that is random; printed at the start
  --bodies    of bodies: those with this in 'operation: body'
  --minutes   how long soak and oracle go on; 30 unless given
  --short     few rounds of every mode, for CI
`

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: names.join(',') },
    rounds: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    bodies: { type: 'string', default: '' },
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  process.stdout.write(help)
  process.exit(0)
}
const chosen = flags.only.split(',')
const stranger = chosen.find((name) => !names.includes(name))
if (stranger !== undefined) refuse(`there is no mode '${stranger}'; see --help`)
const rounds = numberIn('rounds', flags.rounds)
const seed = numberIn('seed', flags.seed) ?? Math.floor(Math.random() * 2 ** 31)
const minutes = numberIn('minutes', flags.minutes) ?? (flags.short ? 0.15 : 30)
const folder = mkdtempSync(join(tmpdir(), 'semblance-torture-'))
note(`seed ${seed}; logs and data in ${folder}`)

const tallies: Tally[] = []
const newTally = (mode: string) => {
  const tally = new Tally(mode)
  tallies.push(tally)
  return tally
}
const clusters: Cluster[] = []
const newCluster = async (settings?: readonly string[]) => {
  const cluster = await Cluster.create(settings)
  clusters.push(cluster)
  return cluster
}
let shared: Promise<Cluster> | undefined
const cluster = (settings?: readonly string[]) => {
  if (settings !== undefined) return newCluster(settings)
  shared ??= newCluster()
  return shared
}
let failure: unknown
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130))
try {
  for (const name of chosen) {
    const [mode, usual, short] = modes[name] ?? []
    const start = performance.now()
    const { short: isShort, bodies: bodiesNamed } = flags
    const count = rounds ?? (isShort ? short : usual) ?? 0
    const amounts = { rounds: count, minutes, isShort, bodiesNamed, seed }
    await mode?.({ ...amounts, folder, newTally, cluster })
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
  await Promise.all(clusters.map((one) => (failed ? one.kill() : one.stop())))
  const places = [folder, ...clusters.map((one) => one.folder)]
  if (failed) process.stderr.write(`Logs and data are kept in ${places.join(' and ')}\n`)
  else rmSync(folder, { recursive: true, force: true })
  process.exit(failed ? 1 : code)
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** What was asked for cannot be done: one line is enough. */
function refuse(why: string): never {
  process.stderr.write(`torture: ${why}\n`)
  process.exit(2)
}

function numberIn(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  return text !== '' && number >= 0 ? number : refuse(`--${flag}=${text} is no number`)
}
