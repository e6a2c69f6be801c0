import { setTimeout as sleep } from 'node:timers/promises'
import { startLoad } from '../load.ts'
import { findOrphans } from '../orphans.ts'
import { expectRecovery } from '../recovery.ts'
import { type Context, type PostgresStage, withWorld } from '../stage.ts'
import { verify } from '../verify.ts'

const longestLoadMs = 500

/**
 * Rounds in which something is done to the database while the server stays up.
 * @param strike resolves with the time at which the database answers again
 */
export const faultRounds = (
  context: Context,
  mode: string,
  strike: (stage: PostgresStage) => Promise<number>,
): Promise<void> =>
  withWorld(context, mode, async (stage) => {
    const { tally, random, cluster, database, world } = stage
    for (; tally.rounds < context.rounds; tally.endRound()) {
      const load = startLoad(world, { random, retryUploads: true })
      await sleep(20 + random() * longestLoadMs)
      const readyAt = await strike(stage)
      await expectRecovery(world, readyAt)
      await sleep(random() * longestLoadMs)
      await load.stop()
      await cluster.quiet(database)
      await verify(world)
      await findOrphans(cluster, database, tally)
    }
  })
