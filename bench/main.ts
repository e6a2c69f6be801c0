import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { note } from '../test/shared/time.ts'
import type { PostgresBench } from './bench.ts'
import { allNeighbours } from './parts/all-neighbours.ts'
import { ingest } from './parts/ingest.ts'
import { neighbours } from './parts/neighbours.ts'
import { filters, peers } from './parts/peers.ts'
import { read } from './parts/read.ts'
import { search } from './parts/search.ts'
import { start } from './parts/start.ts'
import { workers } from './parts/workers.ts'
import { planFor } from './plan.ts'
import { createReport } from './report.ts'
import { ownRuntime } from './server.ts'
import { undoAll } from './undo.ts'

const results = fileURLToPath(new URL('../../results/', import.meta.url))

const onPostgres = {
  search,
  neighbours,
  'all-neighbours': allNeighbours,
  ingest,
  read,
  workers,
}
const usual = [...Object.keys(onPostgres), 'filters', 'start']
/** What takes long is asked for by its name. */
const partNames = [...usual, 'peers']

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    sizes: { type: 'string' },
    peers: { type: 'boolean', default: false },
    vectors: { type: 'string', multiple: true, default: [] },
    runtime: { type: 'string' },
    beside: { type: 'string' },
  },
})
const only = flags.only?.split(',') ?? (flags.peers ? ['peers'] : usual)
const unknown = only.find((name) => !partNames.includes(name))
if (unknown !== undefined) {
  throw new Error(`there is no part '${unknown}'; the parts are ${partNames.join(', ')}`)
}

const plan = planFor({ ...flags, sizes: flags.sizes, runtime: flags.runtime, beside: flags.beside })
const began = new Date()
const file = `${results}${began.toISOString().slice(0, 19).replaceAll(':', '-')}.jsonl`
const report = createReport(file, {
  date: began.toISOString(),
  flags,
  clients: ownRuntime.name,
  server: plan.runtime.name,
  cpu: cpus()[0]?.model,
  cpus: cpus().length,
  memoryGB: Math.round(totalmem() / 2 ** 30),
})

process.once('SIGINT', () => void undoAll().finally(() => process.exit(130)))

const { BENCH_DATABASE_URL, TEST_DATABASE_URL } = process.env
/** That of the tests, such as `.ci/with-servers` starts, where none is named for the bench. */
const databaseServer = BENCH_DATABASE_URL || TEST_DATABASE_URL || undefined
if (databaseServer === undefined) {
  note('BENCH_DATABASE_URL is not set: only what runs on the embedded database is measured')
} else {
  const bench: PostgresBench = { plan, report, databaseServer }
  for (const [name, part] of Object.entries(onPostgres)) {
    if (only.includes(name)) await part(bench)
  }
}
if (only.includes('start')) await start({ plan, report }, databaseServer)
if (only.includes('filters')) await filters({ plan, report }, databaseServer)
if (only.includes('peers')) await peers({ plan, report }, databaseServer)

const minutes = ((Date.now() - began.getTime()) / 60_000).toFixed(1)
process.stdout.write(`\n${report.print()}\nTook ${minutes} minutes. Written to ${file}\n`)
process.exit()
