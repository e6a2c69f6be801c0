/** Tableau's ten, which are told apart by most eyes on light and on dark ground. */
const palette = [
  ...['#4e79a7', '#f28e2b', '#e15759', '#76b7b2', '#59a14f'],
  ...['#edc948', '#b07aa1', '#ff9da7', '#9c755f', '#bab0ac'],
] as const
const plain = '#4e79a7'
const rest = '#8a8f98'

/** Of each value by its frequency: beyond the tenth all have one colour. */
export function coloursOf(order: readonly number[]): ReadonlyMap<number, string> {
  return new Map(
    order.map((index, place) => [index, index === -1 ? rest : (palette[place] ?? rest)]),
  )
}

/** Of each point red, green, blue and opacity, in bytes. */
export function pointColours(
  count: number,
  indexes: Int32Array | undefined,
  colours: ReadonlyMap<number, string>,
  selected: ReadonlySet<number>,
): Uint8Array {
  const bytes = new Uint8Array(4 * count)
  for (let at = 0; at < count; at += 1) {
    const colour = indexes === undefined ? plain : (colours.get(indexes[at] ?? -1) ?? rest)
    const value = Number.parseInt(colour.slice(1), 16)
    bytes[4 * at] = value >> 16
    bytes[4 * at + 1] = (value >> 8) & 255
    bytes[4 * at + 2] = value & 255
    bytes[4 * at + 3] = selected.size === 0 || selected.has(at) ? 215 : 40
  }
  return bytes
}
