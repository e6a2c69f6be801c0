import { z } from 'zod'
import { cosine, normOf } from '../oracle/vectors.ts'

export const Found = z.object({
  results: z.array(z.object({ id: z.string(), similarity: z.number() })),
})
export type Results = z.output<typeof Found>['results']

/** How far a similarity may be from the cosine. */
const tolerance = 1e-6

/** What is wrong with the `count` nearest that an answer has. */
export function flawsOfNearest(
  stored: ReadonlyMap<string, Float32Array>,
  query: Float32Array,
  count: number,
  results: Results,
): string[] {
  const norm = normOf(query)
  const similarities = new Map(
    [...stored].map(([id, vector]) => [id, cosine(query, norm, vector, normOf(vector))]),
  )
  const right = Float64Array.from(similarities.values()).sort().reverse().subarray(0, count)
  const ids = new Set(results.map(({ id }) => id))
  const flaws = ids.size === right.length ? [] : [`${ids.size} results, not ${right.length}`]
  const isOff = (one = Number.NaN, other = Number.NaN) => !(Math.abs(one - other) <= tolerance)
  for (const [place, { id, similarity }] of results.entries()) {
    const own = similarities.get(id)
    if (own === undefined) flaws.push(`'${id}' is not stored`)
    else if (isOff(similarity, own)) flaws.push(`'${id}' has ${similarity}, not ${own}`)
    else if (isOff(own, right[place])) flaws.push(`'${id}' is ${place}., in place of a nearer one`)
  }
  return flaws
}
