import { note } from '../../test/shared/time.ts'
import type { Bench } from '../bench.ts'
import type { Figures } from '../figures.ts'
import { alternate, withLoads } from '../load.ts'
import { metered } from '../metered.ts'
import { chroma } from '../peers/chroma.ts'
import { type DataSet, generateDataSet, readDataSet } from '../peers/data-set.ts'
import type { Ask } from '../peers/filter.ts'
import type { Opener, Peer, PeersBench } from '../peers/peer.ts'
import { pgvector } from '../peers/pgvector.ts'
import { questionsOf, recallOf } from '../peers/recall.ts'
import { embedded, onPostgres } from '../peers/semblance.ts'
import { type Compared, targetsOf } from '../peers/targets.ts'
import { judge } from '../report.ts'
import { measureFilters } from './filters.ts'

const many = 16
/** The service on both engines, beside what somebody would use instead, on the same data. */
export async function peers(bench: Bench, databaseServer: string | undefined): Promise<void> {
  for (const [at, create] of setsOf(bench).entries()) {
    const set = create()
    note(`peers: ${set.name}`)
    const questions = questionsOf(set, set.queries, 'other books')
    const comparison = { ...bench, databaseServer, set, questions }
    const openers = [...semblanceOf(bench), chroma, pgvector]
    await open(openers, comparison, [], async (opened) => {
      await compare(comparison, opened)
      if (at > 0) return
      await compareExact(comparison, opened)
      await measureFilters(comparison, opened)
    })
  }
}

/** The filters alone, of the service alone. */
export async function filters(bench: Bench, databaseServer: string | undefined): Promise<void> {
  const [create] = setsOf(bench)
  if (create === undefined) return
  const set = create()
  note(`filters: ${set.name}`)
  const questions = questionsOf(set, [], 'other books')
  const comparison = { ...bench, databaseServer, set, questions }
  await open(semblanceOf(bench), comparison, [], (opened) => measureFilters(comparison, opened))
}

/** The build of this checkout and the one that it is compared with, on both engines. */
const semblanceOf = ({ plan: { runtime, otherBuild } }: Bench) =>
  [runtime, ...(otherBuild ? [otherBuild] : [])].flatMap((each) => [
    embedded(each),
    onPostgres(each),
  ])

function setsOf({ plan }: Bench): (() => DataSet)[] {
  const { files, sizes, queries } = plan.peers
  return files.length > 0
    ? files.map((file) => () => readDataSet(file, queries))
    : sizes.map((size) => () => generateDataSet(size, queries))
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
  const plain = await measure(bench, opened, {})
  const filtered = await measure(bench, opened, { filter: 'other books' })
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
  ask: Ask,
): Promise<readonly Measured[]> {
  const recalls: number[] = []
  for (const { find } of opened) recalls.push(await recallOf(bench.questions, find, ask))
  const jobs = opened.map((peer) => peer.job(bench.set.queries, ask))
  return withLoads(jobs, async (loads) => {
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

/** What it costs to compare everything. Chroma has no such search. */
async function compareExact(bench: PeersBench, opened: readonly Peer[]): Promise<void> {
  const { set, questions } = bench
  const able = opened.filter(({ kind }) => kind !== 'chroma')
  const asks: readonly Ask[] = [{}, { exact: true }]
  const jobs = able.flatMap((peer) => asks.map((ask) => peer.job(set.queries, ask)))
  const figures = await withLoads(jobs, (loads) => alternate(loads, many, bench.plan))
  for (const [at, { name, find }] of able.entries()) {
    const [approximate, exact] = figures.slice(2 * at)
    if (approximate === undefined || exact === undefined) continue
    const { strategy } = await find(set.vectors, { exact: true })
    bench.report.add('peers, exact', {
      data: set.name,
      server: name,
      strategy,
      '/s of 16': approximate.perSecond,
      'exact /s of 16': exact.perSecond,
      'exact ÷': exact.perSecond / approximate.perSecond,
      'exact recall@10': await recallOf(questions, find, { exact: true }),
    })
  }
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
