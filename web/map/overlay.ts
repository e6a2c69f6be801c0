import { scaleOf } from './colours.ts'
import type { MapPoints } from './map-data.ts'
import { type Camera, countValues, type Outline, type Size, toScreen } from './plane.ts'

interface Overlay {
  readonly points: MapPoints
  readonly values: ReturnType<typeof valuePlaces>
  readonly isShown: (point: number) => boolean
  readonly camera: Camera
  readonly size: Size
  /** The outline that is being drawn. */
  readonly outline: Outline
  /**
   * The points marked with a ring: the one under the pointer, the chosen one and its neighbours.
   */
  readonly ringed: readonly number[]
}

/** Draws the labels, the outline and the rings above the points. */
export function drawOverlay(canvas: HTMLCanvasElement, overlay: Overlay): void {
  const { points, values, camera, size, outline, ringed, isShown } = overlay
  const ratio = devicePixelRatio
  canvas.width = Math.round(size.width * ratio)
  canvas.height = Math.round(size.height * ratio)
  const context = canvas.getContext('2d')
  if (context === null) return
  context.scale(ratio, ratio)
  const { color } = getComputedStyle(canvas)
  const { backgroundColor } = getComputedStyle(document.body)
  context.strokeStyle = color
  context.fillStyle = color
  context.lineWidth = 1.5
  for (const point of ringed) {
    const place = { x: points.x[point] ?? 0, y: points.y[point] ?? 0 }
    const { x, y } = toScreen(camera, size, place)
    context.beginPath()
    context.arc(x, y, 8, 0, 2 * Math.PI)
    context.stroke()
  }
  drawOutline(context, outline, camera, size)
  context.font = '600 12px system-ui, sans-serif'
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.lineWidth = 4
  context.strokeStyle = backgroundColor
  for (const { text, x, y } of labelsFor(points, values, camera, size, isShown)) {
    context.strokeText(text, x, y - 12)
    context.fillText(text, x, y - 12)
  }
}

function drawOutline(
  context: CanvasRenderingContext2D,
  outline: Outline,
  camera: Camera,
  size: Size,
): void {
  if (outline.length === 0) return
  context.beginPath()
  for (let corner = 0; corner < outline.length; corner += 2) {
    const place = { x: outline[corner] ?? 0, y: outline[corner + 1] ?? 0 }
    const { x, y } = toScreen(camera, size, place)
    if (corner === 0) context.moveTo(x, y)
    else context.lineTo(x, y)
  }
  context.closePath()
  context.globalAlpha = 0.12
  context.fill()
  context.globalAlpha = 1
  context.stroke()
}

interface Label {
  readonly text: string
  readonly x: number
  readonly y: number
}

const maxValues = 12
/** If more points than this are visible, only values are labelled. */
const maxNamed = 60
const maxCharacters = 32
const lineHeight = 18

interface NamedPlace {
  readonly name: string
  readonly x: number
  readonly y: number
}

/**
 * The most frequent values of the field, each at the median of its points. A few outliers do not
 * move a median.
 */
export function valuePlaces(
  { field, textIds, x, y }: MapPoints,
  isShown: (point: number) => boolean,
): NamedPlace[] {
  if (field === undefined || scaleOf(field) !== undefined) return []
  const shown = [...textIds.keys()].filter(isShown)
  const frequent = countValues(field, shown).filter(({ index }) => index !== -1)
  return frequent.slice(0, maxValues).map(({ index, label: name }) => {
    const own = shown.filter((at) => field.indexes[at] === index)
    const median = (of: Float32Array) =>
      Float32Array.from(own, (at) => of[at] ?? 0).sort()[own.length >> 1] ?? 0
    return { name, x: median(x), y: median(y) }
  })
}

/** Labels the visible points if they are few, otherwise the values. */
export function labelsFor(
  points: MapPoints,
  values: readonly NamedPlace[],
  camera: Camera,
  size: Size,
  isShown: (point: number) => boolean,
): Label[] {
  const visible = fewVisible(points, camera, size, isShown)
  const places =
    visible?.map((at) => ({
      name: points.textIds[at] ?? '',
      x: points.x[at] ?? 0,
      y: points.y[at] ?? 0,
    })) ?? values
  return withoutOverlaps(
    places.map(({ name, ...place }) => ({
      text: shortened(name),
      ...toScreen(camera, size, place),
    })),
  )
}

/** Returns the visible points, or undefined if there are too many to label. */
function fewVisible(
  { x, y }: MapPoints,
  camera: Camera,
  { width, height }: Size,
  isShown: (point: number) => boolean,
): number[] | undefined {
  const [halfWidth, halfHeight] = [width / 2 / camera.scale, height / 2 / camera.scale]
  const found: number[] = []
  for (let at = 0; at < x.length; at += 1) {
    const isSeen =
      Math.abs((x[at] ?? 0) - camera.x) <= halfWidth &&
      Math.abs((y[at] ?? 0) - camera.y) <= halfHeight
    if (isSeen && isShown(at) && found.push(at) > maxNamed) return undefined
  }
  return found
}

const shortened = (text: string) => {
  const characters = [...text]
  return characters.length <= maxCharacters
    ? text
    : `${characters.slice(0, maxCharacters - 1).join('')}…`
}

/** Of labels that would overlap, keeps the first. */
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
