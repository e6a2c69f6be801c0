import type { PointField } from './map-data.ts'

/** Tableau's ten colours, which most people can tell apart on light and dark backgrounds. */
const palette = [
  ...['#4e79a7', '#f28e2b', '#e15759', '#76b7b2', '#59a14f'],
  ...['#edc948', '#b07aa1', '#ff9da7', '#9c755f', '#bab0ac'],
] as const
const plain = '#4e79a7'
const rest = '#8a8f98'
/** The colours of a scale, lowest value first. */
export const ramp = ['#5b54d6', '#2e8fd0', '#2aa58a', '#a8ad32', '#ef8a1d'] as const

/** The smallest and the largest number of a field. */
export interface Scale {
  readonly least: number
  readonly most: number
}

/** @returns undefined if some values are not numbers, or if there are fewer than three */
export function scaleOf(field: PointField | undefined): Scale | undefined {
  const numbers = field?.values.filter((value) => typeof value === 'number') ?? []
  if (numbers.length < 3 || numbers.length < (field?.values.length ?? 0)) return undefined
  return numbers.reduce<Scale>(
    ({ least, most }, value) => ({ least: Math.min(least, value), most: Math.max(most, value) }),
    { least: Infinity, most: -Infinity },
  )
}

/** Colours values by their position on the scale; without one, the first ten of the order. */
export function coloursOf(
  field: PointField | undefined,
  scale: Scale | undefined,
  order: readonly number[],
): ReadonlyMap<number, string> {
  const colourAt = (index: number, place: number) => {
    if (scale === undefined) return palette[place] ?? rest
    const share = (Number(field?.values[index]) - scale.least) / (scale.most - scale.least)
    return mixed(share * (ramp.length - 1))
  }
  return new Map(order.map((index, place) => [index, index === -1 ? rest : colourAt(index, place)]))
}

/** @param at a position on the ramp: 0 is its first colour, 1 its second */
function mixed(at: number): string {
  const [one = rest, two = rest] = ramp.slice(Math.min(Math.floor(at), ramp.length - 2))
  const share = at - Math.min(Math.floor(at), ramp.length - 2)
  const parts = channels(one).map((from, channel) =>
    Math.round(from + share * ((channels(two)[channel] ?? 0) - from)),
  )
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

const channels = (colour: string): number[] => {
  const value = Number.parseInt(colour.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

export function pointColours(
  count: number,
  indexes: Int32Array | undefined,
  colours: ReadonlyMap<number, string>,
  selected: ReadonlySet<number>,
  isShown: (point: number) => boolean,
): Uint8Array {
  const ofValues = new Map([...colours].map(([index, colour]) => [index, channels(colour)]))
  const [ofPlain, ofRest] = [channels(plain), channels(rest)]
  const bytes = new Uint8Array(4 * count)
  for (let at = 0; at < count; at += 1) {
    if (!isShown(at)) continue
    bytes.set(indexes === undefined ? ofPlain : (ofValues.get(indexes[at] ?? -1) ?? ofRest), 4 * at)
    bytes[4 * at + 3] = selected.size === 0 || selected.has(at) ? 215 : 40
  }
  return bytes
}
