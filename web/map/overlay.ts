import { type Camera, type Size, toScreen } from './camera.ts'
import { labelsFor, type valuePlaces } from './labels.ts'
import type { MapPoints } from './map-data.ts'
import type { Outline } from './selection.ts'

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
