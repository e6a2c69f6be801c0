/** A polygon, as alternating x and y. */
export type Outline = readonly number[]

interface Shown {
  readonly x: Float32Array
  readonly y: Float32Array
  readonly isShown: (point: number) => boolean
}

/** Returns the visible points within an outline, by the even-odd rule. */
export function pointsWithin(outline: Outline, { x, y, isShown }: Shown): number[] {
  const found: number[] = []
  const corners = outline.length / 2
  for (let at = 0; at < x.length; at += 1) {
    const [px = 0, py = 0] = [x[at], y[at]]
    let isWithin = false
    for (let corner = 0, before = corners - 1; corner < corners; before = corner, corner += 1) {
      const [ax = 0, ay = 0] = [outline[2 * corner], outline[2 * corner + 1]]
      const [bx = 0, by = 0] = [outline[2 * before], outline[2 * before + 1]]
      const crosses = ay > py !== by > py && px < ((bx - ax) * (py - ay)) / (by - ay) + ax
      if (crosses) isWithin = !isWithin
    }
    if (isWithin && isShown(at)) found.push(at)
  }
  return found
}

/** Returns the nearest visible point within a distance, or -1. */
export function nearestPoint(
  { x, y, isShown }: Shown,
  place: { readonly x: number; readonly y: number },
  within: number,
): number {
  let nearest = -1
  let least = within * within
  for (let at = 0; at < x.length; at += 1) {
    const dx = (x[at] ?? 0) - place.x
    const dy = (y[at] ?? 0) - place.y
    const distance = dx * dx + dy * dy
    if (distance <= least && isShown(at)) {
      nearest = at
      least = distance
    }
  }
  return nearest
}

/** Counts the points per value of a field, most frequent first. */
export function countValues(
  { values, indexes }: { readonly values: readonly unknown[]; readonly indexes: Int32Array },
  points: Iterable<number>,
): { readonly index: number; readonly label: string; readonly count: number }[] {
  const counts = new Map<number, number>()
  for (const at of points) {
    const index = indexes[at] ?? -1
    counts.set(index, (counts.get(index) ?? 0) + 1)
  }
  return [...counts]
    .map(([index, count]) => ({
      index,
      label: index === -1 ? '(none)' : `${values[index]}`,
      count,
    }))
    .sort((one, other) => other.count - one.count || one.index - other.index)
}
