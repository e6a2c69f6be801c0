import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { joinNodes } from '../../shared/citus-nodes.ts'
import { terminated } from '../backends.ts'
import type { Cluster } from '../cluster.ts'
import type { Clusters } from '../clusters.ts'

const settings = [
  'shared_preload_libraries=citus',
  'max_connections=300',
  'max_prepared_transactions=300',
  'wal_level=logical',
  // What a node had prepared when it died is committed, and only then seen, after a minute by default.
  'citus.recover_2pc_interval=1s',
]
const settledMs = 60_000
const movedMs = 60_000
const pollMs = 50

const places = `select project_handle as handle, shardid::text as shard, nodeport as port
  from projects, get_shard_id_for_distribution_column('embeddings', collection_id) as of_project
  join pg_dist_shard_placement on shardid = of_project`
const Places = z.array(z.object({ handle: z.string(), shard: z.string(), port: z.number() }))
/** Of the embeddings of a project. */
export type Place = z.output<typeof Places>[number]

/** A coordinator and two workers with a database that is one of Citus. */
export class Nodes {
  readonly coordinator: Cluster
  readonly workers: readonly [Cluster, Cluster]
  readonly database: string
  /** Of shards, so far. */
  moves = 0

  private constructor(
    coordinator: Cluster,
    workers: readonly [Cluster, Cluster],
    database: string,
  ) {
    this.coordinator = coordinator
    this.workers = workers
    this.database = database
  }

  static async start(clusters: Clusters): Promise<Nodes> {
    const start = (name: string) => clusters.create(`citus-${name}`, settings)
    const started = [start('coordinator'), start('worker-1'), start('worker-2')] as const
    const [coordinator, first, second] = await Promise.all(started)
    const database = await coordinator.newDatabase()
    const workers = [first, second] as const
    await Promise.all(workers.map((worker) => worker.query(`create database ${database}`)))
    await joinNodes<Cluster>(coordinator, workers, (node, text) => node.query(text, database))
    return new Nodes(coordinator, workers, database)
  }

  other = (worker: Cluster) => (worker === this.workers[0] ? this.workers[1] : this.workers[0])

  /** Of all projects. */
  async places(): Promise<readonly Place[]> {
    return Places.parse(await this.coordinator.query(places, this.database))
  }

  /** A shard goes where it is not, with all projects in it. */
  async move({ shard, port: from }: Place): Promise<void> {
    const to = this.workers.find(({ port }) => port !== from)?.port
    const nodes = `'127.0.0.1', ${from}, '127.0.0.1', ${to}`
    const text = `select citus_move_shard_placement(${shard}, ${nodes})`
    for (const deadline = Date.now() + movedMs; ; await sleep(pollMs)) {
      const refusal = await this.coordinator.query(text, this.database).then(() => '', String)
      if (refusal === '') break
      // What a move has left behind Citus removes by and by, and somebody may be reading it.
      if (!/could not be cleaned up/.test(refusal) || Date.now() > deadline)
        throw new Error(refusal)
    }
    this.moves += 1
  }

  /**
   * Ends the service's connections to the coordinator. Each may have one to a worker that has died since, of
   * which Citus hears when it uses it next, however late.
   */
  async endConnections(): Promise<void> {
    const { coordinator, database } = this
    await terminated(coordinator, await coordinator.backends(database))
  }

  /** Until Citus has ended whatever was prepared when a node died. */
  async settled(): Promise<void> {
    const prepared = `select from pg_prepared_xacts where database = '${this.database}'`
    for (const deadline = Date.now() + settledMs; ; await sleep(pollMs)) {
      const left = await Promise.all(this.workers.map((worker) => worker.query(prepared)))
      if (left.flat().length === 0) return
      if (Date.now() > deadline) throw new Error('prepared transactions are not ended')
    }
  }
}
