import { setTimeout as sleep } from 'node:timers/promises'
import { startLoad } from '../load.ts'
import { startOddRequests } from '../odd-requests.ts'
import { findOrphans } from '../orphans.ts'
import { type Sample, slopes } from '../slopes.ts'
import { type Context, type Mode, type PostgresStage, withWorld } from '../stage.ts'
import { verify } from '../verify.ts'
import type { World } from '../world.ts'

const sampleEveryMs = 2_000
/** Below this much time a slope says nothing, and is only shown. */
const judgedFromMinutes = 10
const rssBound = 1
const handlesBound = 0.5

/** A mixed load for a long time: memory, open files and connections must not go on growing. */
export const soak: Mode = (context) =>
  withWorld(context, 'soak', async (stage) => run(context, stage))

async function run(
  { minutes }: Context,
  stage: PostgresStage & { readonly world: World },
): Promise<void> {
  const { tally, random, cluster, database, service, world } = stage
  const until = performance.now() + minutes * 60_000
  const load = startLoad(world, { random, retryUploads: true })
  const odd = startOddRequests(world, random)
  const samples: Sample[] = []
  while (performance.now() < until) {
    const connections = (await cluster.backends(database)).length
    const at = performance.now() / 60_000
    samples.push({ at, rss: service.memory(), files: service.openFiles(), connections })
    await sleep(Math.min(sampleEveryMs, Math.max(0, until - performance.now())))
  }
  await Promise.all([load.stop(), odd.stop()])
  tally.rounds = 1
  const { rss, files, connections } = slopes(samples)
  const last = samples.at(-1)
  tally.remarks = {
    minutes,
    'RSS MiB': last?.rss ?? Number.NaN,
    'RSS MiB/min': rss,
    'open files': last?.files ?? Number.NaN,
    'open files/min': files,
    connections: last?.connections ?? Number.NaN,
    'connections/min': connections,
  }
  if (minutes >= judgedFromMinutes) {
    if (rss > rssBound) tally.violate('other violations', `RSS grows by ${rss} MiB/min`)
    for (const [what, slope] of Object.entries({ files, connections })) {
      if (slope > handlesBound) tally.violate('other violations', `${what} grow: ${slope}/min`)
    }
  }
  await cluster.quiet(database)
  await verify(world)
  await findOrphans(cluster, database, tally)
}
