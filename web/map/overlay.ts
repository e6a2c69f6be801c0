import { scaleOf } from './colours.ts'
import type { MapPoints } from './map-data.ts'
import { type Camera, countValues, type Outline, type Place, type Size, toScreen } from './plane.ts'

interface Overlay {
  readonly points: MapPoints
  readonly values: readonly Label[]
  readonly isShown: (point: number) => boolean
  readonly camera: Camera
  readonly size: Size
  readonly outline: Outline
  /** The point under the pointer, the chosen one and its neighbours. */
  readonly ringed: readonly number[]
}

export function drawOverlay(canvas: HTMLCanvasElement, overlay: Overlay): void {
  const { points, camera, size, ringed } = overlay
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
  drawOutline(context, overlay)
  context.font = '600 12px system-ui, sans-serif'
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.lineWidth = 4
  context.strokeStyle = backgroundColor
  for (const { text, x, y } of labelsFor(overlay)) {
    context.strokeText(text, x, y - 12)
    context.fillText(text, x, y - 12)
  }
}

function drawOutline(context: CanvasRenderingContext2D, { outline, camera, size }: Overlay): void {
  if (outline.length === 0) return
  context.beginPath()
  for (const corner of outline) {
    const { x, y } = toScreen(camera, size, corner)
    context.lineTo(x, y)
  }
  context.closePath()
  context.globalAlpha = 0.12
  context.fill()
  context.globalAlpha = 1
  context.stroke()
}

export interface Label extends Place {
  readonly text: string
}

const maxValues = 12
/** If more points than this are visible, only values are labelled. */
const maxNamed = 60
const maxCharacters = 32
const lineHeight = 18

/** The most frequent values, each at the median of its points, which a few outliers do not move. */
export function valuePlaces(
  { field, textIds, x, y }: MapPoints,
  isShown: (point: number) => boolean,
): Label[] {
  if (field === undefined || scaleOf(field) !== undefined) return []
  const shown = [...textIds.keys()].filter(isShown)
  const frequent = countValues(field, shown).filter(({ index }) => index !== -1)
  return frequent.slice(0, maxValues).map(({ index, label: text }) => {
    const own = shown.filter((at) => field.indexes[at] === index)
    const median = (of: Float32Array) =>
      Float32Array.from(own, (at) => of[at] ?? 0).sort()[own.length >> 1] ?? 0
    return { text, x: median(x), y: median(y) }
  })
}

/** Labels the visible points if they are few, otherwise the values. */
function labelsFor(overlay: Overlay): Label[] {
  const { points, values, camera, size } = overlay
  const visible = fewVisible(overlay)
  const places =
    visible?.map((at) => ({
      text: points.textIds[at] ?? '',
      x: points.x[at] ?? 0,
      y: points.y[at] ?? 0,
    })) ?? values
  return withoutOverlaps(
    places.map(({ text, ...place }) => ({
      text: shortened(text),
      ...toScreen(camera, size, place),
    })),
  )
}

/** Returns the visible points, or undefined if there are too many to label. */
function fewVisible({ points: { x, y }, camera, size, isShown }: Overlay): number[] | undefined {
  const [halfWidth, halfHeight] = [size.width / 2 / camera.scale, size.height / 2 / camera.scale]
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
