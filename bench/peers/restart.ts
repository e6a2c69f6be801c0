import { percentile } from '../../test/shared/percentiles.ts'
import { judge } from '../report.ts'
import { findBy, type Protocol } from './http-server.ts'
import type { Kind, PeersBench } from './peer.ts'

const watchMs = 10_000
/** The latencies at the end, which say what is fast. */
const last = 20
const bytesPerMebibyte = 2 ** 20

interface Restarted {
  readonly name: string
  readonly kind: Kind
  readonly protocol: Protocol
  readonly listeningAt: number
  readonly memory: () => number | undefined
  readonly emptyMemory: number | undefined
}

/** What a server that has just been started again answers first, and holds without what an upload leaves. */
export async function reportRestart(bench: PeersBench, restarted: Restarted): Promise<void> {
  const { report, set } = bench
  const { name, kind, protocol, listeningAt, memory, emptyMemory = 0 } = restarted
  const { first, fast, p50 } = await firstSearches(protocol, listeningAt, set.queries)
  const now = memory()
  const mebibytes = now === undefined ? undefined : Math.max(0, now - emptyMemory)
  const bytes = (mebibytes ?? 0) * bytesPerMebibyte
  const perComponent = bytes / (set.vectors * set.dimensions)
  report.add('peers, started again', {
    data: set.name,
    server: name,
    'first search s': first,
    'first fast one s': fast,
    'p50 ms': p50,
    'memory MB': mebibytes,
    'bytes per component': mebibytes === undefined ? undefined : perComponent,
    target:
      kind === 'embedded'
        ? judge(
            { name: 'first search s', value: first, atMost: 2 },
            { name: 'first fast one s', value: fast, atMost: 5 },
            { name: 'bytes per component', value: perComponent, atMost: 3 },
          )
        : '',
  })
}

/** Seconds from listening until the first answer, and until the first one that came as fast as the last ones. */
async function firstSearches(protocol: Protocol, listeningAt: number, queries: readonly number[]) {
  const answers: { readonly at: number; readonly ms: number }[] = []
  for (
    let turn = 0;
    performance.now() < listeningAt + watchMs || answers.length < last;
    turn += 1
  ) {
    const asked = performance.now()
    await findBy(protocol, queries[turn % queries.length] ?? 0, {})
    answers.push({ at: performance.now() - listeningAt, ms: performance.now() - asked })
  }
  const p50 = percentile(
    answers.slice(-last).map(({ ms }) => ms),
    0.5,
  )
  const fast = answers.find(({ ms }) => ms <= 2 * p50)
  return { first: (answers[0]?.at ?? 0) / 1_000, fast: (fast?.at ?? 0) / 1_000, p50 }
}
