import { csvOf } from '../csv.ts'

export interface Pair {
  /** The smaller of the two text_ids. */
  readonly id: string
  readonly neighbour: string
  readonly similarity: number
}

export interface NeighboursLine {
  readonly id: string
  readonly neighbours: readonly { readonly id: string; readonly similarity: number }[]
}

export const maxPairs = 100_000

/** Collects pairs, each once. When it is full, it drops the least similar, up to `floor`. */
export class PairCollector {
  /** Pairs up to this similarity were dropped; 0 if none were. */
  floor = 0
  /** Whether more pairs share the highest similarity than fit, so that arbitrary ones were kept. */
  isFull = false
  /** The number of texts that reached the requested number of neighbours, and so may have more. */
  crowded = 0
  readonly #max: number
  readonly #maxNeighbours: number
  readonly #pairs = new Map<string, Pair>()

  /** @param maxNeighbours the number of neighbours requested per text */
  constructor(maxNeighbours: number, max = maxPairs) {
    this.#maxNeighbours = maxNeighbours
    this.#max = max
  }

  get size(): number {
    return this.#pairs.size
  }

  add({ id, neighbours }: NeighboursLine): void {
    if (neighbours.length >= this.#maxNeighbours) this.crowded += 1
    for (const neighbour of neighbours) {
      if (neighbour.similarity <= this.floor || neighbour.id === id) continue
      const pair = pairOf(id, neighbour.id, neighbour.similarity)
      const key = JSON.stringify([pair.id, pair.neighbour])
      if (this.#pairs.has(key)) continue
      if (this.#pairs.size >= this.#max) this.#makeRoom()
      if (this.isFull) return
      if (pair.similarity > this.floor) this.#pairs.set(key, pair)
    }
  }

  /** Most similar first. */
  sorted(): Pair[] {
    return [...this.#pairs.values()].sort(byRank)
  }

  #makeRoom(): void {
    const similarities = Float64Array.from(this.#pairs.values(), (pair) => pair.similarity).sort()
    const middle = similarities[similarities.length >> 1] ?? 0
    if (similarities.at(-1) === middle) {
      this.isFull = true
      return
    }
    this.floor = middle
    for (const [key, { similarity }] of this.#pairs) {
      if (similarity <= middle) this.#pairs.delete(key)
    }
  }
}

const pairOf = (one: string, other: string, similarity: number): Pair =>
  one < other
    ? { id: one, neighbour: other, similarity }
    : { id: other, neighbour: one, similarity }

/** By their code units. */
const compareIds = (one = '', other = '') => Number(one > other) - Number(one < other)

const byRank = (one: Pair, other: Pair) =>
  other.similarity - one.similarity ||
  compareIds(one.id, other.id) ||
  compareIds(one.neighbour, other.neighbour)

export interface TextGroup {
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

const bySize = (one: TextGroup, other: TextGroup) =>
  other.ids.length - one.ids.length || other.most - one.most || compareIds(one.ids[0], other.ids[0])

/** Prints the pairs as CSV with a header. All pairs of a group have the same number in `group`. */
export function pairsAsCsv(pairs: readonly Pair[], groups: readonly TextGroup[]): string {
  const numbers = groupNumbers(groups)
  const rows = pairs.map(({ id, neighbour, similarity }) => [
    ...[id, neighbour, similarity],
    numbers.get(id) ?? '',
  ])
  return csvOf(['id', 'neighbour', 'similarity', 'group'], rows)
}

export function pairsAsNdjson(pairs: readonly Pair[], groups: readonly TextGroup[]): string {
  const numbers = groupNumbers(groups)
  return pairs
    .map((pair) => `${JSON.stringify({ ...pair, group: numbers.get(pair.id) })}\n`)
    .join('')
}

function groupNumbers(groups: readonly TextGroup[]): ReadonlyMap<string, number> {
  return new Map(groups.flatMap(({ ids }, index) => ids.map((id) => [id, index + 1] as const)))
}
