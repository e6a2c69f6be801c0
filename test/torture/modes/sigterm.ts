import { setTimeout as sleep } from 'node:timers/promises'
import { bun, node, type Runtime } from '../../support/program.ts'
import { type Outcome, wasUnsent } from '../http-client.ts'
import { startLoad } from '../load.ts'
import { findOrphans } from '../orphans.ts'
import { untilSuccess } from '../recovery.ts'
import { type Context, type Mode, withWorld } from '../stage.ts'
import { verify } from '../verify.ts'

const longestLoadMs = 1_500
const endBoundMs = 10_000

/** SIGTERM under load: nothing that was begun is dropped, and the end comes in time. */
export const sigterm: Mode = async (context) => {
  for (const runtime of [node, bun]) {
    if (runtime.command !== undefined) await on(runtime, context)
  }
}

const on = (runtime: Runtime, context: Context) =>
  withWorld(
    context,
    `sigterm on ${runtime.name}`,
    async ({ tally, random, cluster, database, service, world }) => {
      const ends: number[] = []
      for (; tally.rounds < context.rounds; tally.endRound()) {
        let signalledAt = Number.POSITIVE_INFINITY
        const onOutcome = (outcome: Outcome, what: string) => {
          if (!isDropped(outcome, signalledAt)) return
          tally.violate('other violations', `${what} was dropped: ${outcome.reason}`)
        }
        const load = startLoad(world, { random, onOutcome })
        await sleep(100 + random() * longestLoadMs)
        signalledAt = performance.now()
        const exit = await service.terminate()
        const took = performance.now() - signalledAt
        ends.push(took)
        await load.stop()
        if (exit !== 0) tally.violate('other violations', `the server ended with ${exit}`)
        if (took > endBoundMs) tally.violate('other violations', `the end took ${took} ms`)
        const start = performance.now()
        service.spawn()
        await untilSuccess(world)
        tally.recoveries.push(performance.now() - start)
        await cluster.quiet(database)
        await verify(world)
        await findOrphans(cluster, database, tally)
      }
      tally.remarks = { 'longest end ms': Math.max(...ends) }
    },
    { runtime },
  )

/** A connection opened after the signal may be refused; all else is to be answered. */
const isDropped = (outcome: Outcome, signalledAt: number) =>
  outcome.status === 0 && !wasUnsent(outcome) && (outcome.startedAt < signalledAt || outcome.reused)
