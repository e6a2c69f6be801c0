import { boundsOf, type Label, type MapPoints, type Place } from './plane.ts'

/** Where points are dense, with some of the points there. */
interface DensePlace extends Place {
  readonly sample: readonly number[]
}

/** A name of a region, and the points whose texts it was taken from. */
export type Region = Label & DensePlace

/** Cells on each side of the map. */
const side = 48
/** In cells: places are at least this far apart, and half as wide. */
const apart = 6
const maxPlaces = 20
const sampled = 20
/** A place has at least this many points, and this share of all. */
const [minPoints, minShare] = [8, 0.003]

/** Finds the densest places of the map, the densest first. */
export function densePlaces({ x, y }: Pick<MapPoints, 'x' | 'y'>): DensePlace[] {
  const bounds = boundsOf({ x, y })
  const width = Math.max(bounds.width, bounds.height, 1e-6) / side
  const [left, low] = [bounds.x - (width * side) / 2, bounds.y - (width * side) / 2]
  const lineOf = (value: number, from: number) =>
    Math.min(side - 1, Math.max(0, Math.floor((value - from) / width)))
  const pointsIn: number[][] = Array.from({ length: side * side }, () => [])
  for (let at = 0; at < x.length; at += 1)
    pointsIn[side * lineOf(y[at] ?? 0, low) + lineOf(x[at] ?? 0, left)]?.push(at)
  const density = smoothed(smoothed(Float32Array.from(pointsIn, ({ length }) => length)))
  const peaks = [...density.keys()]
    .filter((cell) => isPeak(density, cell))
    .sort((one, other) => (density[other] ?? 0) - (density[one] ?? 0))
  const found: (DensePlace & { readonly cell: number })[] = []
  for (const cell of peaks) {
    if (found.length === maxPlaces) break
    if (found.some((other) => cellsBetween(cell, other.cell) < apart)) continue
    const own = pointsIn.flatMap((points, other) =>
      cellsBetween(cell, other) <= apart / 2 ? points : [],
    )
    if (own.length < Math.max(minPoints, minShare * x.length)) continue
    const step = Math.max(1, own.length / sampled)
    found.push({
      cell,
      x: left + ((cell % side) + 0.5) * width,
      y: low + (Math.floor(cell / side) + 0.5) * width,
      sample: own.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)),
    })
  }
  return found
}

const cellsBetween = (one: number, other: number) =>
  Math.hypot((one % side) - (other % side), Math.floor(one / side) - Math.floor(other / side))

const around = (cell: number): number[] =>
  [-1, 0, 1].flatMap((down) =>
    [-1, 0, 1].flatMap((right) => {
      const column = (cell % side) + right
      return column < 0 || column >= side ? [] : cell + side * down + right
    }),
  )

const smoothed = (density: Float32Array) =>
  density.map((_, cell) => around(cell).reduce((sum, each) => sum + (density[each] ?? 0), 0) / 9)

const isPeak = (density: Float32Array, cell: number) =>
  (density[cell] ?? 0) > 0 &&
  around(cell).every((other) => (density[other] ?? 0) <= (density[cell] ?? 0))

const wordsOfName = 3
/** A typical word is this many times as frequent as elsewhere, and in this share of the texts. */
const [minRatio, minFrequency] = [2, 0.15]
const maxCharacters = 2_000

/**
 * Names groups of texts by words that are frequent in them and rare in the others (tf-idf). Words
 * that most groups have, such as articles, are typical of none.
 * @returns '' for a group without such words
 */
export function typicalWords(groups: readonly (readonly string[])[]): string[] {
  const forms = new Map<string, string>()
  const words = groups.map((texts) => texts.flatMap((text) => [...wordsOf(text, forms)]))
  const counts = words.map(tally)
  const total = tally(words.flat())
  const groupsWith = tally(counts.flatMap((each) => [...each.keys()]))
  const all = groups.flat().length
  return groups.map(({ length }, group) => {
    const scored = [...(counts[group] ?? [])].flatMap(([word, count]) => {
      const here = (count + 0.5) / (length + 1)
      const elsewhere = ((total.get(word) ?? 0) - count + 0.5) / (all - length + 1)
      const having = (groupsWith.get(word) ?? 0) / groups.length
      const isFrequent = count > 1 && count >= minFrequency * length
      const isRare = having <= 0.5 && here >= minRatio * elsewhere
      return isFrequent && isRare ? { word, score: here * Math.log(1 / having) } : []
    })
    const best = scored.sort((one, other) => other.score - one.score).slice(0, wordsOfName)
    return best.map(({ word }) => forms.get(word) ?? word).join(' · ')
  })
}

/** How often each word is there. */
function tally(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** The words of a text, each once. @param forms words as they are written */
function wordsOf(text: string, forms: Map<string, string>): ReadonlySet<string> {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
  const words = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(text.slice(0, maxCharacters))) {
    if (isWordLike !== true || !/\p{L}/u.test(segment)) continue
    const word = segment.toLowerCase()
    words.add(word)
    // Capitals may be those of a beginning.
    if (segment === word || !forms.has(word)) forms.set(word, segment)
  }
  return words
}
