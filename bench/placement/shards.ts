import type { Projects } from './projects.ts'

/** A range of hashes, with what lies in it. */
export interface Shard {
  /** Which of the first shards it is, or was a part of: it stays on that one's node until it is moved. */
  readonly origin: number
  bytes: number
  requests: number
}

const hashes = 2 ** 32

/** Of a collection_id, spread as evenly as PostgreSQL's hash (the finalizer of MurmurHash3). */
export function hashOf(id: number): number {
  let mixed = id | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/**
 * Equal ranges of hashes, as create_distributed_table makes them, and a range for each isolated project alone, as
 * isolate_tenant_to_new_shard does: the range that it was in is cut before and behind its hash.
 */
export function shardsOf(projects: Projects, count: number, isolated: readonly number[]): Shard[] {
  const starts = new Set(Array.from({ length: count }, (_, at) => Math.ceil((at * hashes) / count)))
  for (const id of isolated) {
    starts.add(hashOf(id))
    starts.add(hashOf(id) + 1)
  }
  const sorted = Float64Array.from(starts).sort()
  const shards = Array.from(sorted, (start): Shard => {
    const origin = Math.floor((start * count) / hashes)
    return { origin, bytes: 0, requests: 0 }
  })
  for (let id = 0; id < projects.bytes.length; id += 1) {
    const shard = shards[lastUpTo(sorted, hashOf(id))]
    if (shard === undefined) throw new RangeError(`the hash of ${id} is in no shard`)
    shard.bytes += projects.bytes[id] ?? 0
    shard.requests += projects.requests[id] ?? 0
  }
  return shards
}

function lastUpTo(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) <= value) low = middle
    else high = middle
  }
  return low
}
