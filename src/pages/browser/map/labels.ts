import { type Camera, type Size, toScreen } from './camera.ts'
import type { MapPoints } from './map-data.ts'
import { countValues } from './selection.ts'

interface Label {
  readonly text: string
  readonly x: number
  readonly y: number
}

const maxValues = 12
/** Of points: more are not named before one comes nearer. */
const maxNamed = 60
const maxCharacters = 32
const lineHeight = 18

/** The names of values in the middle of their points, and of the points themselves where they are few. */
export function labelsFor(points: MapPoints, camera: Camera, size: Size): Label[] {
  const visible = visiblePoints(points, camera, size)
  const named =
    visible.length <= maxNamed
      ? visible.map((at) => labelAt(points.textIds[at] ?? '', points, at, camera, size))
      : valueLabels(points, visible, camera, size)
  return withoutOverlaps(named)
}

function visiblePoints({ x, y }: MapPoints, camera: Camera, { width, height }: Size): number[] {
  const [halfWidth, halfHeight] = [width / 2 / camera.scale, height / 2 / camera.scale]
  const found: number[] = []
  for (let at = 0; at < x.length; at += 1) {
    const isSeen =
      Math.abs((x[at] ?? 0) - camera.x) <= halfWidth &&
      Math.abs((y[at] ?? 0) - camera.y) <= halfHeight
    if (isSeen) found.push(at)
  }
  return found
}

function labelAt(text: string, { x, y }: MapPoints, at: number, camera: Camera, size: Size): Label {
  return { text: shortened(text), ...toScreen(camera, size, { x: x[at] ?? 0, y: y[at] ?? 0 }) }
}

/** At the median of each coordinate, which few strays do not move. */
function valueLabels(points: MapPoints, visible: readonly number[], camera: Camera, size: Size) {
  const { field, x, y } = points
  if (field === undefined) return []
  const frequent = countValues(field, visible).filter(({ index }) => index !== -1)
  return frequent.slice(0, maxValues).map(({ index, label }) => {
    const own = visible.filter((at) => field.indexes[at] === index)
    const middle = (of: Float32Array) => {
      const sorted = own.map((at) => of[at] ?? 0).sort((one, other) => one - other)
      return sorted[sorted.length >> 1] ?? 0
    }
    return { text: shortened(label), ...toScreen(camera, size, { x: middle(x), y: middle(y) }) }
  })
}

const shortened = (text: string) => {
  const characters = [...text]
  return characters.length <= maxCharacters
    ? text
    : `${characters.slice(0, maxCharacters - 1).join('')}…`
}

/** The first of those that would stand over one another. */
function withoutOverlaps(labels: readonly Label[]): Label[] {
  const placed: { left: number; right: number; y: number }[] = []
  return labels.filter(({ text, x, y }) => {
    const half = text.length * 4 + 6
    const box = { left: x - half, right: x + half, y }
    const isFree = placed.every(
      (other) =>
        Math.abs(other.y - y) >= lineHeight || other.left > box.right || other.right < box.left,
    )
    if (isFree) placed.push(box)
    return isFree
  })
}
