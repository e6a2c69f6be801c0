import { setTimeout as sleep } from 'node:timers/promises'
import { startLoad } from '../load.ts'
import { findOrphans } from '../orphans.ts'
import { expectRecovery } from '../recovery.ts'
import { type Replication, type ReplicationFault, replicationFaults } from '../replicas/faults.ts'
import { replicaFigures, untilUsed } from '../replicas/figures.ts'
import { FreshReads } from '../replicas/fresh-reads.ts'
import { type Mode, type PostgresStage, withWorld } from '../stage.ts'
import { verify } from '../verify.ts'
import { Witness } from '../witness.ts'
import type { World } from '../world.ts'

const shortestLoadMs = 200
const furtherLoadMs = 800

/** Streaming replicas, or their primary, die, lag, fall silent and go their own way, under load. */
export const replicas: Mode = async (context) => {
  const { clusters } = context
  const primary = await clusters.create('primary')
  const replication: Replication = {
    clusters,
    primary,
    replicas: [
      await clusters.replicaOf(primary, 'replica-1'),
      await clusters.replicaOf(primary, 'replica-2'),
    ],
  }
  const SERVICE_DBREPLICAS = replication.replicas.map(({ port }) => `127.0.0.1:${port}`).join()
  const run = async (stage: PostgresStage & { readonly world: World }) => {
    const { tally } = stage
    const rounds = new Rounds({ ...stage, ...replication })
    for (; tally.rounds < context.rounds; tally.endRound()) {
      const fault = replicationFaults[tally.rounds % replicationFaults.length]
      if (fault !== undefined) await rounds.next(fault)
    }
  }
  await withWorld(context, 'replicas', run, { cluster: primary, settings: { SERVICE_DBREPLICAS } })
}

class Rounds {
  readonly #scene: PostgresStage & Replication & { readonly world: World }
  readonly #witness: Witness
  readonly #sums = { reads: 0, behind: 0, failed: 0, compared: 0 }

  constructor(scene: PostgresStage & Replication & { readonly world: World }) {
    this.#scene = scene
    this.#witness = new Witness(scene.tally)
  }

  async next(fault: ReplicationFault): Promise<void> {
    const { tally, random, service, cluster, database, world } = this.#scene
    // Also with several processes, and with searches of vectors in memory, which no replica is asked for.
    await service.restart({
      SERVICE_WORKERS: tally.rounds % 2 === 0 ? '1' : '2',
      SERVICE_VECTORMEMORY: random() < 0.7 ? '0' : '64',
    })
    await this.#expectUse()
    this.#witness.expect({
      refusals: () => (fault.of === 'primary' ? Number.POSITIVE_INFINITY : 0),
    })
    const reads = new FreshReads(world, this.#witness, random)
    const onOutcome = this.#witness.see
    const afterStep = reads.compare
    const load = startLoad(world, { random, retryUploads: true, onOutcome, afterStep })
    await sleep(shortestLoadMs + random() * furtherLoadMs)
    await this.#struck(fault)
    await sleep(random() * furtherLoadMs)
    await load.stop()
    reads.close()
    await this.#expectUse()
    await cluster.quiet(database)
    await verify(world)
    await findOrphans(cluster, database, tally)
    await this.#sum(reads.count)
  }

  async #struck({ of, strike }: ReplicationFault): Promise<void> {
    const { random, world } = this.#scene
    const readyAt = await strike(this.#scene, random)
    const handles = world.plots.map(({ holding }) => holding.handle)
    const served = this.#witness.untilServed(handles, readyAt)
    // Of a replica nobody has noticed anything.
    await (of === 'replica' ? served : expectRecovery(world, readyAt, served))
  }

  async #expectUse(): Promise<void> {
    const { tally, service, replicas } = this.#scene
    if (await untilUsed(service.url, replicas.length)) return
    tally.violate('other violations', 'a replica that is there is not read from')
  }

  /** A server that reads nothing from replicas would prove nothing. */
  async #sum(compared: number): Promise<void> {
    const { tally, service } = this.#scene
    const { reads, behind, failed } = await replicaFigures(service.url)
    if (reads === 0) throw new Error('nothing was read from a replica')
    this.#sums.reads += reads
    this.#sums.behind += behind
    this.#sums.failed += failed
    this.#sums.compared += compared
    const { reads: fromReplicas, ...others } = this.#sums
    tally.remarks = { 'read from replicas': fromReplicas, ...others }
  }
}
