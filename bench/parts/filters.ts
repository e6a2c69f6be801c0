import { setTimeout as sleep } from 'node:timers/promises'
import type { Figures } from '../figures.ts'
import { alternate, withLoads } from '../load.ts'
import type { DataSet } from '../peers/data-set.ts'
import type { Range } from '../peers/filter.ts'
import type { Peer, PeersBench } from '../peers/peer.ts'
import { type Questions, questionsOf, recallOf } from '../peers/recall.ts'
import { judge } from '../report.ts'

const clients = 16
const shares = [0.9, 0.5, 0.1, 0.01, 0.001]
/** What a filter keeps: any embeddings, the nearest to those that are searched for, or the furthest. */
const kinds = ['independent', 'correlated', 'opposed'] as const
type Kind = (typeof kinds)[number]
/** Held-out vectors that are searched for. */
const queries = { independent: 100, near: 25 }

interface Case extends Questions {
  readonly name: string
  readonly kind: Kind
  readonly share: number
  readonly filter: Range
}

/** Filters that all searches share, from the first search with each to the rate of many clients. */
export async function measureFilters(bench: PeersBench, opened: readonly Peer[]): Promise<void> {
  for (const kind of kinds) {
    const cases = shares.map((share) => caseOf(bench.set, kind, share))
    // Computing them takes so long that servers may have closed connections, which is seen now.
    await sleep(100)
    for (const peer of opened) {
      const own = cases.filter((one) => isMeasured(peer, one))
      if (own.length > 0) await measure(bench, peer, own)
    }
  }
}

/** Of what somebody would use instead, one hard case. */
const isMeasured = ({ kind }: Peer, one: Case) =>
  kind === 'embedded' || kind === 'postgres' || (one.kind === 'opposed' && one.share === shares[0])

function caseOf(set: DataSet, kind: Kind, share: number): Case {
  const kept = Math.round(share * set.vectors)
  const filter: Range =
    kind === 'opposed'
      ? { field: 'near', operator: 'gte', bound: set.vectors - kept }
      : { field: kind === 'correlated' ? 'near' : 'any', operator: 'lt', bound: kept }
  const chosen =
    kind === 'independent'
      ? set.queries.slice(0, queries.independent)
      : set.nearQueries(queries.near)
  const name = `${share * 100} %, ${kind}`
  return { name, kind, share, filter, ...questionsOf(set, chosen, filter) }
}

/** The first searches before all others; then the searches with each filter in turns with those without. */
async function measure(bench: PeersBench, peer: Peer, cases: readonly Case[]): Promise<void> {
  const [some] = cases
  if (some === undefined) return
  // One that is not measured, so that the first row is no worse off than the others.
  const other = { ...some.filter, bound: some.filter.bound + 1 }
  await peer.find(some.queries[0] ?? 0, { filter: other })
  const firsts: First[] = []
  for (const one of cases) firsts.push(await askFirst(peer, one))
  const jobs = cases.map(({ queries, filter }) => peer.job(queries, { filter }))
  const [plain, ...figures] = await withLoads([peer.job(some.queries, {}), ...jobs], (loads) =>
    alternate(loads, clients, bench.plan),
  )
  for (const [at, { name }] of cases.entries()) {
    const [first, filtered] = [firsts[at], figures[at]]
    if (first === undefined || filtered === undefined || plain === undefined) continue
    report(bench, peer, name, first, filtered, plain)
  }
}

interface First {
  readonly ms: number
  readonly recall: number
  readonly strategy: string | undefined
}

async function askFirst(peer: Peer, one: Case): Promise<First> {
  const { queries, filter } = one
  const [query = 0] = queries
  await peer.find(query, {})
  const start = performance.now()
  await peer.find(query, { filter })
  const ms = performance.now() - start
  await peer.tune?.(one, { filter })
  const recall = await recallOf(one, peer.find, { filter })
  const { strategy } = await peer.find(query, { filter })
  return { ms, recall, strategy }
}

function report(
  bench: PeersBench,
  { name, kind }: Peer,
  filter: string,
  { ms, recall, strategy }: First,
  filtered: Figures,
  plain: Figures,
): void {
  const value = filtered.perSecond / plain.perSecond
  bench.report.add('peers, filters', {
    data: bench.set.name,
    server: name,
    'filter keeps': filter,
    strategy,
    'first search ms': ms,
    '/s of 16': filtered.perSecond,
    'unfiltered /s of 16': plain.perSecond,
    '/s ÷ unfiltered': value,
    'recall@10': recall,
    target:
      kind === 'embedded' || kind === 'postgres'
        ? judge(
            { name: '/s ÷ unfiltered', value, atLeast: 0.8 },
            { name: 'recall@10', value: recall, atLeast: 0.99 },
          )
        : '',
  })
}
