export interface Place {
  readonly x: number
  readonly y: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** The visible part of the map: its centre, the pixels per unit, and its size in pixels. */
export interface Camera extends Place, Size {
  readonly scale: number
}

export interface Label extends Place {
  readonly text: string
}

/** The values of a field, and the index of each point's value; -1 for no value. */
export interface PointField {
  readonly path: string
  readonly values: readonly (string | number | boolean)[]
  readonly indexes: Int32Array
}

export interface MapPoints {
  readonly textIds: readonly string[]
  /** The place of each text_id among them. */
  readonly places: ReadonlyMap<string, number>
  readonly x: Float32Array
  readonly y: Float32Array
  readonly field: PointField | undefined
  readonly missing: number
  /** Changes with the places of the texts. */
  readonly version: string
}

const margin = 0.94
const maxZoom = 4_000

export type Bounds = Place & Size

export function boundsOf({ x, y }: Pick<MapPoints, 'x' | 'y'>): Bounds {
  let [left, right, low, high] =
    x.length === 0 ? [0, 0, 0, 0] : [Infinity, -Infinity, Infinity, -Infinity]
  for (const px of x) [left, right] = [Math.min(left, px), Math.max(right, px)]
  for (const py of y) [low, high] = [Math.min(low, py), Math.max(high, py)]
  return { x: (left + right) / 2, y: (low + high) / 2, width: right - left, height: high - low }
}

export function wholeMap(size: Size, { x, y, width, height }: Bounds): Camera {
  return { ...size, x, y, scale: margin / Math.max(width / size.width, height / size.height, 1e-6) }
}

export const toScreen = ({ width, height, ...camera }: Camera, { x, y }: Place): Place => ({
  x: width / 2 + (x - camera.x) * camera.scale,
  y: height / 2 - (y - camera.y) * camera.scale,
})

export const toMap = ({ width, height, ...camera }: Camera, { x, y }: Place): Place => ({
  x: camera.x + (x - width / 2) / camera.scale,
  y: camera.y - (y - height / 2) / camera.scale,
})

export const moved = (camera: Camera, right: number, down: number): Camera => ({
  ...camera,
  x: camera.x - right / camera.scale,
  y: camera.y + down / camera.scale,
})

/** Zooms while keeping the place under `at` fixed. @param whole the scale of the whole map */
export function zoomed(camera: Camera, factor: number, at: Place, whole: number): Camera {
  const scale = Math.min(whole * maxZoom, Math.max(whole / 2, camera.scale * factor))
  const [fixed, after] = [toMap(camera, at), toMap({ ...camera, scale }, at)]
  return { ...camera, x: camera.x + fixed.x - after.x, y: camera.y + fixed.y - after.y, scale }
}

/** A camera as a URL has it, so that every screen shows the same part of the map. */
export function lookOf({ x, y, scale }: Camera, whole: Camera): string {
  const numbers = [x, y, scale / whole.scale].map((value) => Number(value.toPrecision(4)))
  const isWhole = numbers[2] === 1 && x === whole.x && y === whole.y
  return isWhole ? '' : numbers.join()
}

/** The inverse of `lookOf`; what cannot be read is the whole map. */
export function cameraOf(look: string, whole: Camera): Camera {
  const [x = 0, y = 0, zoom = 0] = look.split(',').map(Number)
  const isUsable = Number.isFinite(x + y) && zoom >= 0.5 && zoom <= maxZoom
  return isUsable ? { ...whole, x, y, scale: whole.scale * zoom } : whole
}

/** The corners of a polygon. */
export type Outline = readonly Place[]

interface Shown extends Pick<MapPoints, 'x' | 'y'> {
  /** 1 for each point that is shown. */
  readonly shown: Uint8Array
}

/** Returns the shown points within an outline, by the even-odd rule. */
export function pointsWithin(outline: Outline, { x, y, shown }: Shown): number[] {
  const edges = outline.map((a, index) => [a, outline.at(index - 1) ?? a] as const)
  const found: number[] = []
  for (let at = 0; at < x.length; at += 1) {
    const [px = 0, py = 0] = [x[at], y[at]]
    if (shown[at] === 0) continue
    let isWithin = false
    for (const [a, b] of edges) {
      const crosses = a.y > py !== b.y > py && px < ((b.x - a.x) * (py - a.y)) / (b.y - a.y) + a.x
      if (crosses) isWithin = !isWithin
    }
    if (isWithin) found.push(at)
  }
  return found
}

/** Returns the nearest shown point within a distance, or -1. */
export function nearestPoint({ x, y, shown }: Shown, place: Place, within: number): number {
  let nearest = -1
  let least = within * within
  for (let at = 0; at < x.length; at += 1) {
    const dx = (x[at] ?? 0) - place.x
    const dy = (y[at] ?? 0) - place.y
    const distance = dx * dx + dy * dy
    if (distance <= least && shown[at] === 1) {
      nearest = at
      least = distance
    }
  }
  return nearest
}

export interface ValueCount {
  /** -1 for the points without a value. */
  readonly index: number
  readonly label: string
  readonly count: number
}

/** Counts the shown points per value of a field, most frequent first. */
export function countValues({ values, indexes }: PointField, shown: Uint8Array): ValueCount[] {
  const counts = new Uint32Array(values.length + 1)
  for (const [at, is] of shown.entries()) {
    const place = (indexes[at] ?? -1) + 1
    counts[place] = (counts[place] ?? 0) + is
  }
  return [...counts]
    .flatMap((count, place) => {
      const label = place === 0 ? '(none)' : `${values[place - 1]}`
      return count === 0 ? [] : { index: place - 1, label, count }
    })
    .sort((one, other) => other.count - one.count || one.index - other.index)
}
