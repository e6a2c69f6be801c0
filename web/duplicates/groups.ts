import type { Pair } from './pair-collector.ts'

/** Texts that are connected by pairs. */
export interface TextGroup {
  /** Sorted. */
  readonly ids: readonly string[]
  /** The lowest similarity among its pairs. */
  readonly least: number
  readonly most: number
}

/** The connected components of the pairs, largest first. */
export function connectedGroups(pairs: readonly Pair[]): TextGroup[] {
  const above = new Map<string, string>()
  for (const { id, neighbour } of pairs) {
    const [one, other] = [topOf(above, id), topOf(above, neighbour)]
    if (one !== other) above.set(other, one)
  }
  const found = new Map<string, { ids: Set<string>; least: number; most: number }>()
  for (const { id, neighbour, similarity } of pairs) {
    const top = topOf(above, id)
    const group = found.get(top) ?? { ids: new Set(), least: similarity, most: similarity }
    found.set(top, group)
    group.ids.add(id).add(neighbour)
    group.least = Math.min(group.least, similarity)
    group.most = Math.max(group.most, similarity)
  }
  return [...found.values()].map((group) => ({ ...group, ids: [...group.ids].sort() })).sort(bySize)
}

/** Finds the root of a group, and halves the path on the way (union-find with path halving). */
function topOf(above: Map<string, string>, id: string): string {
  let at = id
  for (;;) {
    const next = above.get(at)
    if (next === undefined) return at
    const behind = above.get(next)
    if (behind === undefined) return next
    above.set(at, behind)
    at = behind
  }
}

function bySize(one: TextGroup, other: TextGroup): number {
  if (one.ids.length !== other.ids.length) return other.ids.length - one.ids.length
  if (one.most !== other.most) return other.most - one.most
  return (one.ids[0] ?? '') < (other.ids[0] ?? '') ? -1 : 1
}
