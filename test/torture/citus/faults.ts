import { setTimeout as sleep } from 'node:timers/promises'
import { killed, terminated } from '../backends.ts'
import type { Cluster } from '../cluster.ts'
import type { PostgresStage } from '../stage.ts'
import type { Allowed } from '../witness.ts'
import type { World } from '../world.ts'
import type { Nodes } from './nodes.ts'
import type { Victim } from './victim.ts'

export interface Scene extends PostgresStage {
  readonly nodes: Nodes
  readonly world: World
}

export interface CitusFault {
  /** Of a worker's fault nothing may be noticed by projects on the other one. */
  readonly of: 'worker' | 'shard' | 'coordinator' | 'server'
  /** @returns when everything is there again */
  readonly strike: (scene: Scene, victim: Victim) => Promise<number>
}

const shortestOutageMs = 1_000
const furtherOutageMs = 1_000
/** Shards that are moved in a round. */
const moves = 2

export const citusFaults: readonly CitusFault[] = [
  { of: 'worker', strike: ({ random }, { worker }) => outage(worker, random) },
  { of: 'shard', strike: moveShards },
  { of: 'worker', strike: endBackends },
  { of: 'coordinator', strike: ({ nodes, random }) => outage(nodes.coordinator, random) },
  { of: 'server', strike: killServer },
]

/** What such a fault may do to requests. */
export const allowedBy = ({ of }: CitusFault, { handles }: Victim): Allowed =>
  ({
    worker: { refusals: (handle: string) => (handles.has(handle) ? Number.POSITIVE_INFINITY : 0) },
    // Who tries once more succeeds.
    shard: { refusals: () => 1 },
    coordinator: { refusals: () => Number.POSITIVE_INFINITY },
    server: { refusals: () => 0, cuts: true },
  })[of]

async function outage(cluster: Cluster, random: () => number): Promise<number> {
  await cluster.kill()
  await sleep(shortestOutageMs + random() * furtherOutageMs)
  await cluster.start()
  return performance.now()
}

async function moveShards({ nodes, world, random }: Scene): Promise<number> {
  for (let move = 0; move < moves; move += 1) {
    const handle = world.plots[Math.floor(random() * world.plots.length)]?.holding.handle
    const place = (await nodes.places()).find((one) => one.handle === handle)
    if (place !== undefined) await nodes.move(place)
  }
  return performance.now()
}

/** Those that the coordinator has on a worker. */
async function endBackends({ database, random }: Scene, { worker }: Victim): Promise<number> {
  const rows = await worker.query(`select pid from pg_stat_activity
    where datname = '${database}' and application_name like 'citus_internal%'`)
  const pids = rows.map(({ pid }) => Number(pid))
  const [first] = pids
  if (first === undefined) throw new Error('the coordinator has no connection to a worker')
  const dice = random()
  if (dice < 0.5) return killed(worker, first)
  return terminated(worker, dice < 0.7 ? [first] : pids)
}

async function killServer({ service, cluster, database }: Scene): Promise<number> {
  await service.kill()
  // What the killed one has sent is still carried out.
  await cluster.quiet(database, 'true')
  await service.start()
  return performance.now()
}
