import { setTimeout as sleep } from 'node:timers/promises'
import { startLoad } from '../load.ts'
import { findOrphans } from '../orphans.ts'
import { untilSuccess } from '../recovery.ts'
import type { Mode } from '../stage.ts'
import { withWorld } from '../stage.ts'
import { verify } from '../verify.ts'

const longestLoadMs = 800

/** SIGKILL of the server while it works. */
export const server: Mode = (context) =>
  withWorld(context, 'server', async (stage) => {
    const { tally, random, cluster, database, service, world } = stage
    for (; tally.rounds < context.rounds; tally.endRound()) {
      const load = startLoad(world, { random })
      await sleep(20 + random() * longestLoadMs)
      await service.kill()
      await load.stop()
      // What the killed one has sent is still carried out.
      await cluster.quiet(database, 'true')
      const start = performance.now()
      service.spawn()
      await untilSuccess(world)
      tally.recoveries.push(performance.now() - start)
      await verify(world)
      await findOrphans(cluster, database, tally)
    }
  })
