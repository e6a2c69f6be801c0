import { shortened } from '../elements.tsx'
import { type Camera, type Label, type MapPoints, type Outline, toScreen } from './plane.ts'

export interface Overlay {
  readonly points: MapPoints
  /** 1 for each point that is shown. */
  readonly shown: Uint8Array
  /** The names of regions, the densest first. */
  readonly names: readonly Label[]
  readonly camera: Camera
  readonly outline: Outline
  /** The point under the pointer, the chosen one and its neighbours. */
  readonly ringed: readonly number[]
  /** What a search has found, best first, with their colours. */
  readonly hits: readonly (readonly [point: number, colour: string])[]
}

export function drawOverlay(canvas: HTMLCanvasElement, overlay: Overlay): void {
  const { width, height } = overlay.camera
  canvas.width = Math.round(width * devicePixelRatio)
  canvas.height = Math.round(height * devicePixelRatio)
  const context = canvas.getContext('2d')
  if (context === null) return
  context.scale(devicePixelRatio, devicePixelRatio)
  const { color } = getComputedStyle(canvas)
  Object.assign(context, { strokeStyle: color, fillStyle: color, lineWidth: 1.5 })
  drawOutline(context, overlay)
  drawPoints(context, overlay)
  Object.assign(context, {
    ...{ font: '600 12px system-ui, sans-serif', textAlign: 'center', textBaseline: 'middle' },
    ...{ fillStyle: color, strokeStyle: getComputedStyle(document.body).backgroundColor },
    ...{ lineJoin: 'round', lineWidth: 4 },
  })
  for (const { text, x, y } of labelsFor(overlay)) {
    const half = context.measureText(text).width / 2 + 4
    // What is named lies in the plane, and so does its name.
    const isSeen = x >= 0 && x <= width
    const middle = isSeen ? Math.max(half, Math.min(width - half, x)) : x
    context.strokeText(text, middle, y - 12)
    context.fillText(text, middle, y - 12)
  }
}

const [hitRadius, glowRadius, ringRadius] = [4.5, 9, 8]

/** Hits shine, the best above the others. */
function drawPoints(context: CanvasRenderingContext2D, overlay: Overlay): void {
  const { points, camera, ringed, hits } = overlay
  const circle = (point: number, radius: number) => {
    const { x, y } = toScreen(camera, { x: points.x[point] ?? 0, y: points.y[point] ?? 0 })
    context.beginPath()
    context.arc(x, y, radius, 0, 2 * Math.PI)
  }
  for (const [point, colour] of hits.toReversed()) {
    context.fillStyle = colour
    context.globalAlpha = 0.25
    circle(point, glowRadius)
    context.fill()
    context.globalAlpha = 1
    circle(point, hitRadius)
    context.fill()
    context.stroke()
  }
  for (const point of ringed) {
    circle(point, ringRadius)
    context.stroke()
  }
}

function drawOutline(context: CanvasRenderingContext2D, { outline, camera }: Overlay): void {
  if (outline.length === 0) return
  context.beginPath()
  for (const corner of outline) {
    const { x, y } = toScreen(camera, corner)
    context.lineTo(x, y)
  }
  context.closePath()
  context.globalAlpha = 0.12
  context.fill()
  context.globalAlpha = 1
  context.stroke()
}

/** If more points than this are visible, only regions are named. */
const maxNamed = 60
const maxCharacters = 40
const lineHeight = 18

/** Names the visible points if they are few, otherwise the regions. */
function labelsFor(overlay: Overlay): Label[] {
  const { points, names, camera } = overlay
  const visible = fewVisible(overlay)?.map((at) => {
    const [text = '', x = 0, y = 0] = [points.textIds[at], points.x[at], points.y[at]]
    return { text, x, y }
  })
  const labels = (visible ?? names).map(({ text, ...place }) => ({
    text: shortened(text, maxCharacters),
    ...toScreen(camera, place),
  }))
  return withoutOverlaps(labels)
}

/** Returns the visible points, or undefined if there are too many to label. */
function fewVisible({ points: { x, y }, camera, shown }: Overlay): number[] | undefined {
  const [right, up] = [camera.width / 2 / camera.scale, camera.height / 2 / camera.scale]
  const found: number[] = []
  for (let at = 0; at < x.length; at += 1) {
    const [px = 0, py = 0] = [x[at], y[at]]
    const isSeen = Math.abs(px - camera.x) <= right && Math.abs(py - camera.y) <= up
    if (isSeen && shown[at] === 1 && found.push(at) > maxNamed) return undefined
  }
  return found
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
