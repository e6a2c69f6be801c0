import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { TcpProxy } from '../../support/servers/tcp-proxy.ts'
import { startLoad } from '../load.ts'
import { findOrphans } from '../orphans.ts'
import { type Mode, withWorld } from '../stage.ts'
import { verify } from '../verify.ts'

const loadMs = 150
const cutShare = 0.2

/** A COMMIT as a query of its own: its type, its length, its text. */
const commitMessage = Buffer.from('Q\0\0\0\x0bcommit\0')

/** The connection to PostgreSQL is cut when a COMMIT passes: before it arrives, or before its answer. */
export const commit: Mode = async (context) => {
  const cluster = await context.clusters.shared()
  const random = randomNumbers(context.seed + 1)
  let cuts = 0
  let armed = false
  const newJudge = () => (bytes: Buffer) => {
    if (!bytes.includes(commitMessage) || !armed || random() > cutShare) return 'pass'
    cuts += 1
    return random() < 0.5 ? 'drop' : 'drop the answer'
  }
  const proxy = await TcpProxy.to({ host: '127.0.0.1', port: cluster.port }, newJudge)
  await withWorld(
    context,
    'commit',
    async (stage) => {
      const { tally, random, database, world } = stage
      // A round is a cut; what was cut is looked at after every few.
      while (tally.rounds < context.rounds) {
        armed = true
        const load = startLoad(world, { random, retryUploads: true })
        await sleep(loadMs)
        await load.stop()
        armed = false
        tally.rounds = cuts
        await cluster.quiet(database)
        await verify(world)
        await findOrphans(cluster, database, tally)
      }
    },
    { port: proxy.port },
  )
  proxy.close()
}
