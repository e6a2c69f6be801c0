import { setTimeout as sleep } from 'node:timers/promises'
import { isInstalled } from '../../shared/extensions.ts'
import { note } from '../../shared/time.ts'
import { allowedBy, type CitusFault, citusFaults, type Scene } from '../citus/faults.ts'
import { Nodes } from '../citus/nodes.ts'
import { chooseVictim } from '../citus/victim.ts'
import type { Outcome } from '../http-client.ts'
import { startLoad } from '../load.ts'
import { findOrphans } from '../orphans.ts'
import { expectRecovery } from '../recovery.ts'
import { type Mode, withWorld } from '../stage.ts'
import { verify } from '../verify.ts'
import { Witness } from '../witness.ts'

/** Fewer than usual, for a quicker start; more than there are projects. */
const shards = 16
const shortestLoadMs = 200
const furtherLoadMs = 800

/** Nodes of a Citus cluster die and come back, and shards move, under load. */
export const citus: Mode = async (context) => {
  const { binaries } = context.clusters
  if (!isInstalled('citus', binaries.command('initdb', []), binaries.root)) {
    note('citus: SKIPPED, since the PostgreSQL that was found has no extension citus')
    return
  }
  const nodes = await Nodes.start(context.clusters)
  await withWorld(
    context,
    'citus',
    async (stage) => {
      const { tally } = stage
      const rounds = new Rounds({ ...stage, nodes })
      for (; tally.rounds < context.rounds; tally.endRound()) {
        const fault = citusFaults[tally.rounds % citusFaults.length]
        if (fault !== undefined) await rounds.next(fault)
      }
    },
    {
      cluster: nodes.coordinator,
      database: nodes.database,
      beforeStart: (service) => service.run(['migrate', '--distribute', '--shards', `${shards}`]),
    },
  )
}

class Rounds {
  readonly #scene: Scene
  readonly #witness: Witness
  #late = 0

  constructor(scene: Scene) {
    this.#scene = scene
    this.#witness = new Witness(scene.tally)
  }

  async next(fault: CitusFault): Promise<void> {
    const { tally, random, nodes, cluster, database, world } = this.#scene
    const victim = await chooseVictim(nodes, world, random)
    this.#witness.expect(allowedBy(fault, victim))
    const load = startLoad(world, {
      random,
      retryUploads: true,
      keepsCollections: fault.of === 'worker' || fault.of === 'shard',
      onOutcome: this.#witness.see,
      isExcused: (outcome, handle) =>
        fault.of === 'worker' && victim.handles.has(handle) && this.#isLate(outcome),
    })
    await sleep(shortestLoadMs + random() * furtherLoadMs)
    const readyAt = await fault.strike(this.#scene, victim)
    const handles = world.plots.map(({ holding }) => holding.handle)
    const served = this.#witness.untilServed(handles, readyAt)
    // Nothing is away while a shard is moved.
    await (fault.of === 'shard' ? served : expectRecovery(world, readyAt, served))
    await sleep(random() * furtherLoadMs)
    await load.stop()
    await nodes.settled()
    await cluster.quiet(database)
    await nodes.endConnections()
    await verify(world)
    await findOrphans(cluster, database, tally)
    const { refusals } = this.#witness
    tally.remarks = { refusals, 'shards moved': nodes.moves, 'seen later': this.#late }
  }

  /** What a worker had prepared when it died is stored, and not seen before Citus has committed it. */
  #isLate({ status }: Outcome): boolean {
    if (status === 404) this.#late += 1
    return status === 404
  }
}
