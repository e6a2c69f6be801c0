import { dot, type Generator, indexOf, isLeftOut } from './data.ts'

const nearest = 10
/** Similarities closer than this are ties: float32 arithmetic cannot tell them apart. */
const tie = 1e-6
/** In the place of a result that there is not: what has a negative similarity is none to the service. */
const none = 0

/**
 * The right answers, by comparing everything with every query in float64.
 * @param leftOut whether the filtered search for a query leaves an embedding out
 */
export function createTruth(
  { vectorAt }: Pick<Generator, 'vectorAt'>,
  queries: readonly number[],
  leftOut: (index: number, query: number) => boolean = isLeftOut,
) {
  const sources = queries.map((index) => ({
    index,
    vector: vectorAt(index),
    norm: norm(vectorAt(index)),
    best: new Float64Array(nearest).fill(none),
    bestFiltered: new Float64Array(nearest).fill(none),
  }))

  const byQuery = new Map(sources.map((source) => [source.index, source]))
  const find = (query: number) => {
    const source = byQuery.get(query)
    if (source === undefined) throw new Error(`${query} is not among the queries`)
    return source
  }

  return {
    /** Takes a stored vector into account. */
    see(index: number, vector: Float32Array): void {
      const length = norm(vector)
      for (const source of sources) {
        if (source.index === index) continue
        const similarity = dot(source.vector, vector) / (source.norm * length)
        insert(source.best, similarity)
        if (!leftOut(index, source.index)) insert(source.bestFiltered, similarity)
      }
    },

    /** The share of the ten nearest that the answer to a query holds; of all where there are fewer. */
    recall(query: number, answer: readonly string[], filtered: boolean): number {
      const source = find(query)
      const best = filtered ? source.bestFiltered : source.best
      const tenth = best.at(-1) ?? none
      const right = answer.filter((textId) => {
        const index = indexOf(textId)
        if (index === query || (filtered && leftOut(index, query))) return false
        const found = vectorAt(index)
        return dot(source.vector, found) / (source.norm * norm(found)) >= tenth - tie
      })
      const all = best.filter((similarity) => similarity > none).length
      return all === 0 ? 1 : Math.min(1, new Set(right).size / all)
    },
  }
}

export type Truth = ReturnType<typeof createTruth>

const norm = (vector: Float32Array) => Math.sqrt(dot(vector, vector))

/** Keeps `best`, in descending order, the best of what was inserted. */
function insert(best: Float64Array, value: number): void {
  let at = best.length - 1
  if (value <= (best[at] ?? 0)) return
  for (; at > 0 && value > (best[at - 1] ?? 0); at -= 1) best[at] = best[at - 1] ?? 0
  best[at] = value
}
