import { note } from '../../test/shared/time.ts'
import type { Bench } from '../bench.ts'
import type { Figures } from '../figures.ts'
import type { Job } from '../jobs.ts'
import { alternate, type Load, withLoad } from '../load.ts'
import { metered } from '../metered.ts'
import { chroma } from '../peers/chroma.ts'
import { type DataSet, generateDataSet, readDataSet } from '../peers/data-set.ts'
import type { Opener, Peer, PeersBench } from '../peers/peer.ts'
import { pgvector } from '../peers/pgvector.ts'
import { recallOf, truthOf } from '../peers/recall.ts'
import { embedded, onPostgres } from '../peers/semblance.ts'
import { type Compared, targetsOf } from '../peers/targets.ts'
import { judge } from '../report.ts'

const many = 16
const openers: readonly Opener[] = [embedded, onPostgres, chroma, pgvector]

/** The service on both engines, beside what somebody would use instead, on the same data. */
export async function peers(bench: Bench, databaseServer: string | undefined): Promise<void> {
  const { files, sizes, queries } = bench.plan.peers
  const sets: (() => DataSet)[] =
    files.length > 0
      ? files.map((file) => () => readDataSet(file, queries))
      : sizes.map((size) => () => generateDataSet(size, queries))
  for (const create of sets) {
    const set = create()
    note(`peers: ${set.name}`)
    const comparison = { ...bench, databaseServer, set, truth: truthOf(set) }
    await open(openers, comparison, [], (opened) => compare(comparison, opened))
  }
}

/** One after the other is filled; then all of them run, and are measured in turns. */
async function open(
  [first, ...rest]: readonly Opener[],
  bench: PeersBench,
  opened: readonly Peer[],
  use: (opened: readonly Peer[]) => Promise<void>,
): Promise<void> {
  if (first === undefined) return use(opened)
  await first(bench, (more) => open(rest, bench, [...opened, ...more], use))
}

async function compare(bench: PeersBench, opened: readonly Peer[]): Promise<void> {
  const plain = await measure(bench, opened, false)
  const filtered = await measure(bench, opened, true)
  const rows = opened.flatMap((peer, at): Compared[] => {
    const [own, ownFiltered] = [plain[at], filtered[at]]
    return own && ownFiltered ? [comparedOf(bench, peer, own, ownFiltered)] : []
  })
  for (const row of rows) report(bench, row)
  for (const { server, ...target } of targetsOf(rows, bench.set.dimensions)) {
    bench.report.add('peers, targets', { data: bench.set.name, server, target: judge(target) })
  }
}

interface Measured {
  readonly recall: number
  readonly alone: Figures
  readonly busy: Figures
  readonly cpuMs: number | undefined
}

async function measure(
  bench: PeersBench,
  opened: readonly Peer[],
  filtered: boolean,
): Promise<readonly Measured[]> {
  const recalls: number[] = []
  for (const peer of opened) recalls.push(await recallOf(bench, peer.find, filtered))
  const jobs = opened.map((peer) => peer.job(filtered))
  return withLoads(jobs, [], async (loads) => {
    const alone = await alternate(loads, 1, bench.plan)
    const meters = loads.map((load, at) => metered(load, async () => opened[at]?.cpu()))
    const busy = await alternate(meters, many, bench.plan)
    return opened.flatMap((_, at): Measured[] => {
      const [recall, one, all] = [recalls[at], alone[at], busy[at]]
      if (recall === undefined || one === undefined || all === undefined) return []
      return [{ recall, alone: one, busy: all, cpuMs: meters[at]?.msPerRequest() }]
    })
  })
}

async function withLoads<T>(
  [job, ...rest]: readonly Job[],
  loads: readonly Load[],
  use: (loads: readonly Load[]) => Promise<T>,
): Promise<T> {
  if (job === undefined) return use(loads)
  return withLoad(job, (load) => withLoads(rest, [...loads, load], use))
}

function comparedOf(
  { set }: PeersBench,
  { name, kind, filling, memory }: Peer,
  plain: Measured,
  filtered: Measured,
): Compared {
  const [now, empty] = [memory(), filling?.emptyMemory]
  return {
    server: name,
    kind,
    data: set.name,
    recall: plain.recall,
    p50: plain.alone.p50,
    alonePerSecond: plain.alone.perSecond,
    perSecond: plain.busy.perSecond,
    cpuMs: plain.cpuMs,
    filteredRecall: filtered.recall,
    filteredP50: filtered.alone.p50,
    filteredPerSecond: filtered.busy.perSecond,
    uploaded: filling?.perSecond,
    readySeconds: filling?.readySeconds,
    memory: now === undefined || empty === undefined ? undefined : now - empty,
  }
}

const report = (bench: PeersBench, row: Compared) =>
  bench.report.add('peers', {
    data: row.data,
    server: row.server,
    'recall@10': row.recall,
    'p50 ms': row.p50,
    '/s': row.alonePerSecond,
    '/s of 16': row.perSecond,
    'CPU ms': row.cpuMs,
    'filtered recall': row.filteredRecall,
    'filtered p50 ms': row.filteredP50,
    'filtered /s of 16': row.filteredPerSecond,
    'upload vectors/s': row.uploaded,
    'ready after s': row.readySeconds,
    'memory MB': row.memory,
  })
