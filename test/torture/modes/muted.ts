import { randomNumbers } from '../../shared/random-numbers.ts'
import { TcpProxy } from '../../support/servers/tcp-proxy.ts'
import { kindsFor } from '../muted/kinds.ts'
import { muteOnce, type Seen } from '../muted/round.ts'
import { Silencer } from '../muted/silencer.ts'
import type { PoolName } from '../pools.ts'
import { type Mode, withWorld } from '../stage.ts'

/** The pools with long statements take 1 and 2 minutes, and are only now and then among them. */
const searchEvery = 7
const bulkEvery = 20

/** Connections to PostgreSQL go silent in the middle of an answer, and nobody is told. */
export const muted: Mode = async (context) => {
  const cluster = await context.clusters.shared()
  const silencer = new Silencer(randomNumbers(context.seed + 1))
  const target = { host: '127.0.0.1', port: cluster.port }
  const proxy = await TcpProxy.to(target, silencer.newJudges)
  await withWorld(
    context,
    'muted',
    async (stage) => {
      const kinds = await kindsFor(stage.world)
      const seen: Seen = { silences: [], witnessed: { requests: 0, longestMs: 0 } }
      for (; stage.tally.rounds < context.rounds; stage.tally.endRound()) {
        await muteOnce({ ...stage, silencer, kinds, seen }, poolOfRound(stage.tally.rounds))
        stage.tally.remarks = remarksOf(seen)
      }
    },
    { port: proxy.port },
  )
  proxy.close()
}

function poolOfRound(round: number): PoolName {
  if (round % bulkEvery === bulkEvery - 1) return 'bulk'
  if (round % searchEvery === searchEvery - 1) return 'search'
  return 'short'
}

function remarksOf({ silences, witnessed }: Seen) {
  const remarks: Record<string, string | number> = {
    'connections muted': silences.length,
    'not given up': silences.filter(({ givenUp }) => givenUp === undefined).length,
    'requests of other kinds': witnessed.requests,
    'their longest ms': witnessed.longestMs,
  }
  for (const pool of new Set(silences.map((silence) => silence.pool))) {
    const seconds = silences.flatMap(({ pool: of, since, givenUp }) =>
      of === pool && givenUp !== undefined ? [(givenUp - since) / 1_000] : [],
    )
    if (seconds.length > 0) remarks[`${pool} given up after at most s`] = Math.max(...seconds)
  }
  return remarks
}
