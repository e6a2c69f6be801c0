import { setTimeout as sleep } from 'node:timers/promises'
import { bun, node } from '../../support/servers/program.ts'
import { type Outcome, wasUnsent } from '../http-client.ts'
import { startLoad } from '../load.ts'
import { findOrphans } from '../orphans.ts'
import { untilSuccess } from '../recovery.ts'
import { type Mode, type Stage, withEmbedded, withWorld } from '../stage.ts'
import { verify } from '../verify.ts'
import { createWorld, type World } from '../world.ts'

const longestLoadMs = 1_500
const endBoundMs = 10_000

/** SIGTERM under load: nothing that was begun is dropped, and the end comes in time. */
export const sigterm: Mode = async (context) => {
  const { rounds, thorough } = context
  for (const runtime of [node, bun]) {
    if (runtime.command === undefined) continue
    const onPostgres = `sigterm on ${runtime.name}`
    const settings = { runtime }
    await withWorld(
      context,
      onPostgres,
      (stage) => run(rounds, stage, () => findOrphans(stage.cluster, stage.database, stage.tally)),
      settings,
    )
    if (!thorough) continue
    await withEmbedded(context, `${onPostgres}, embedded`, runtime, async (stage) => {
      const world = await createWorld(stage.service.url, stage.tally)
      await run(rounds, { ...stage, world }, async () => {})
    })
  }
}

async function run(
  rounds: number,
  { tally, random, service, world }: Stage & { readonly world: World },
  look: () => Promise<void>,
): Promise<void> {
  const ends: number[] = []
  for (; tally.rounds < rounds; tally.endRound()) {
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
    await verify(world)
    await look()
  }
  tally.remarks = { 'longest end ms': Math.max(...ends) }
}

/** A connection opened after the signal may be refused; all else is to be answered. */
const isDropped = (outcome: Outcome, signalledAt: number) =>
  outcome.status === 0 && !wasUnsent(outcome) && (outcome.startedAt < signalledAt || outcome.reused)
