import type { Shard } from './shards.ts'

type Node = Shard[]
type Load = 'bytes' | 'requests'

const sum = (shards: readonly Shard[], what: Load) =>
  shards.reduce((total, shard) => total + shard[what], 0)

/** One after the other in turn, as Citus places the shards of a new table. */
export function inTurn(shards: readonly Shard[], nodes: number): Node[] {
  const placed = Array.from({ length: nodes }, (): Node => [])
  for (const shard of shards) placed[shard.origin % nodes]?.push(shard)
  return placed
}

/** How many times what a node has on average the fullest one has. */
export const imbalance = (nodes: readonly Node[], what: Load) =>
  Math.max(...nodes.map((node) => sum(node, what))) / (sum(nodes.flat(), what) / nodes.length)

/**
 * Moves shards from the fullest node to the emptiest, the largest first that leaves the latter with less than the former
 * had, until none does: what citus_rebalance_start does by bytes.
 * @returns the share of all bytes that was moved
 */
export function rebalance(nodes: readonly Node[], threshold = 0.02): number {
  const loads = nodes.map((shards) => ({ shards, bytes: sum(shards, 'bytes') }))
  const all = loads.reduce((total, { bytes }) => total + bytes, 0)
  const enough = (all / nodes.length) * threshold
  let moved = 0
  for (;;) {
    loads.sort((a, b) => b.bytes - a.bytes)
    const movable = loads.at(-1)
    const fullest = loads.find(({ shards, bytes }) =>
      shards.some(
        (shard) => shard.bytes > 0 && (movable?.bytes ?? 0) + shard.bytes < bytes - enough,
      ),
    )
    if (movable === undefined || fullest === undefined) return moved / all
    const fitting = fullest.shards.filter(
      ({ bytes }) => bytes > 0 && movable.bytes + bytes < fullest.bytes - enough,
    )
    const shard = fitting.reduce((best, each) => (each.bytes > best.bytes ? each : best))
    fullest.shards.splice(fullest.shards.indexOf(shard), 1)
    movable.shards.push(shard)
    fullest.bytes -= shard.bytes
    movable.bytes += shard.bytes
    moved += shard.bytes
  }
}
