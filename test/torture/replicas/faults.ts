import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../cluster.ts'
import type { Clusters } from '../clusters.ts'

const shortestMs = 500
const furtherMs = 2_500

export interface Replication {
  readonly clusters: Clusters
  readonly primary: Cluster
  /** One is put in the place of another that was promoted. */
  readonly replicas: Cluster[]
}

export interface ReplicationFault {
  readonly of: 'replica' | 'primary'
  /** @returns when everything is there again */
  readonly strike: (replication: Replication, random: () => number) => Promise<number>
}

type Pause = (cluster: Cluster, random: () => number) => Promise<void>

function withReplica(pause: Pause): ReplicationFault['strike'] {
  return ({ replicas }, random) => timed(pause(any(replicas, random), random))
}

async function timed(work: Promise<void>): Promise<number> {
  await work
  return performance.now()
}

const some = (random: () => number) => sleep(shortestMs + random() * furtherMs)

const outage: Pause = async (cluster, random) => {
  await cluster.kill()
  await some(random)
  await cluster.start()
}

/** It answers, and falls behind. */
const lag: Pause = async (cluster, random) => {
  await cluster.query('select pg_wal_replay_pause()')
  await some(random)
  await cluster.query('select pg_wal_replay_resume()')
}

/** It holds its connections, and answers nothing. */
const silence: Pause = async (cluster, random) => {
  cluster.pause()
  await some(random)
  cluster.resume()
}

/** It goes its own way, until another one is in its place. */
const promote: ReplicationFault['strike'] = async (replication, random) => {
  const { clusters, primary, replicas } = replication
  const replica = any(replicas, random)
  await replica.query('select pg_promote()')
  await some(random)
  await replica.remove()
  const successor = await clusters.replicaOf(primary, `replica-${replica.port}`, replica.port)
  replicas[replicas.indexOf(replica)] = successor
  return performance.now()
}

function any(replicas: readonly Cluster[], random: () => number): Cluster {
  const replica = replicas[Math.floor(random() * replicas.length)]
  if (replica === undefined) throw new Error('there is no replica')
  return replica
}

export const replicationFaults: readonly ReplicationFault[] = [
  { of: 'replica', strike: withReplica(outage) },
  { of: 'replica', strike: withReplica(lag) },
  { of: 'replica', strike: withReplica(silence) },
  { of: 'replica', strike: promote },
  { of: 'primary', strike: ({ primary }, random) => timed(outage(primary, random)) },
]
