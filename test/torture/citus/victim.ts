import type { Cluster } from '../cluster.ts'
import type { World } from '../world.ts'
import type { Nodes } from './nodes.ts'

/** A worker, and the projects that are there. */
export interface Victim {
  readonly worker: Cluster
  readonly handles: ReadonlySet<string>
}

/**
 * Chooses a worker. The project by which the service is probed is moved there, and of the others each worker
 * has at least one afterwards.
 */
export async function chooseVictim(
  nodes: Nodes,
  { probed }: World,
  random: () => number,
): Promise<Victim> {
  const worker = nodes.workers[random() < 0.5 ? 0 : 1]
  const before = await nodes.places()
  const ofProbed = before.find(({ handle }) => handle === probed.handle)
  if (ofProbed === undefined) throw new Error(`${probed.handle} has no place`)
  const others = before.filter(({ shard }) => shard !== ofProbed.shard)
  if (ofProbed.port !== worker.port) await nodes.move(ofProbed)
  const [first] = others
  if (first !== undefined && others.every(({ port }) => port === first.port))
    await nodes.move(first)
  const there = (await nodes.places()).filter(({ port }) => port === worker.port)
  return { worker, handles: new Set(there.map(({ handle }) => handle)) }
}
