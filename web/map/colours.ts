import type { PointField, ValueCount } from './plane.ts'

/** Of Tableau's twenty colours those that are no greys, which stand for the rest. */
const palette = [
  ...['#4e79a7', '#f28e2b', '#e15759', '#76b7b2', '#59a14f'],
  ...['#edc948', '#b07aa1', '#ff9da7', '#9c755f', '#d1349b'],
] as const
const paler = [
  ...['#a0cbe8', '#ffbe7d', '#8cd17d', '#b6992d', '#499894'],
  ...['#d37295', '#d4a6c8', '#d7b5a6', '#7b66d2', '#1f8f4d'],
] as const
const plain = '#4e79a7'
export const rest = '#8a8f98'
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

/**
 * On a scale, each value has a colour. Otherwise the most frequent and the picked ones have, and
 * keep it whatever else is picked or hidden.
 * @param values the most frequent first
 * @param picked their labels, or '' for a colour that nobody has
 */
export function coloursOf(
  field: PointField | undefined,
  scale: Scale | undefined,
  values: readonly ValueCount[],
  picked: readonly string[],
): ReadonlyMap<number, string> {
  const colourOf = ({ index, label }: ValueCount, place: number) => {
    if (scale === undefined) return palette[place] ?? paler[picked.indexOf(label)]
    const share = (Number(field?.values[index]) - scale.least) / (scale.most - scale.least)
    return mixed(share * (ramp.length - 1))
  }
  const colours = values
    .filter(({ index }) => index !== -1)
    .map((value, place) => [value.index, colourOf(value, place) ?? rest] as const)
  return new Map(colours)
}

/** Gives a colour to a value, or takes it away, and leaves the others theirs. */
export function togglePicked(picked: readonly string[], label: string): readonly string[] {
  const at = picked.indexOf(label)
  if (at !== -1) return picked.with(at, '')
  const free = picked.indexOf('')
  if (free !== -1) return picked.with(free, label)
  return picked.length < paler.length ? [...picked, label] : picked.with(-1, label)
}

/** With the chosen values that would have no colour of their own. */
export function pickedWith(
  picked: readonly string[],
  values: readonly ValueCount[],
  chosen: readonly string[],
): readonly string[] {
  const named = values.slice(0, palette.length + 1).filter(({ index }) => index !== -1)
  const frequent = new Set(named.slice(0, palette.length).map(({ label }) => label))
  const without = chosen.filter((label) => !frequent.has(label) && !picked.includes(label))
  return without.reduce(togglePicked, picked)
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

/** The colour of a point that a search has found. */
export const hitColour = (
  field: PointField | undefined,
  colours: ReadonlyMap<number, string>,
  at: number,
): string => (field === undefined ? palette[1] : (colours.get(field.indexes[at] ?? -1) ?? rest))

/** Those below a half lie below the others. */
const opacities = { usual: 215, rest: 80, faded: 40 } as const

/** @param lit the points that do not fade; undefined if none do @returns four bytes a point */
export function pointColours(
  indexes: Int32Array | undefined,
  colours: ReadonlyMap<number, string>,
  shown: Uint8Array,
  lit: Uint8Array | undefined,
): Uint8Array<ArrayBuffer> {
  const pack = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = channels(colour)
    const opacity = colour === rest ? opacities.rest : opacities.usual
    return red | (green << 8) | (blue << 16) | (opacity << 24)
  }
  const ofValues = new Map([...colours].map(([index, colour]) => [index, pack(colour)]))
  const [ofPlain, ofRest] = [pack(plain), pack(rest)]
  const packed = new Uint32Array(shown.length)
  for (let at = 0; at < shown.length; at += 1) {
    if (shown[at] === 0) continue
    const colour = indexes === undefined ? ofPlain : (ofValues.get(indexes[at] ?? -1) ?? ofRest)
    const isFaded = lit !== undefined && lit[at] === 0
    packed[at] = isFaded ? (colour & 0xffffff) | (opacities.faded << 24) : colour
  }
  return new Uint8Array(packed.buffer)
}
