import { createCamera } from './camera.ts'
import { hitColour, pointColours } from './colours.ts'
import { listenToGestures, listenToKeys } from './gestures.ts'
import type { MapView } from './map-view.ts'
import { drawOverlay, type Overlay } from './overlay.ts'
import { boundsOf, nearestPoint, type Outline, type Place, toMap } from './plane.ts'
import type { PointRenderer } from './point-renderer.ts'
import type { Region } from './regions.ts'

/** `look` is as `looksElsewhere` tells it; `outline` is around what is selected. */
export interface Charted
  extends Pick<Overlay, 'points' | 'shown' | 'ringed'>,
    Pick<MapView, 'look' | 'outline'> {
  readonly colours: ReadonlyMap<number, string>
  /** The points that do not fade; undefined if none do. */
  readonly lit: Uint8Array | undefined
  /** What a search has found, best first. */
  readonly hits: readonly number[]
  readonly regions: readonly Region[]
  readonly isSelecting: boolean
  readonly select: (outline: Outline) => void
  /** Receives -1 if no point is there, as `choose` does. */
  readonly hover: (point: number) => void
  readonly choose: (point: number) => void
  readonly looksElsewhere: (look: string) => void
}

/** The distance within which a click hits a point. Fingers are less precise than pointers. */
const [reachPixels, fingerPixels] = [10, 24]

/** Draws the map at most once a frame, and keeps the drawn line and the hovered point. */
export function createChart(
  plane: HTMLElement,
  overlay: HTMLCanvasElement,
  renderer: PointRenderer,
  first: Charted,
) {
  let props = first
  /** The props that the renderer has. */
  let drawn: Charted | undefined
  let line: Place[] = []
  let hovered = -1
  /** Whether the points have to be drawn anew, not only what is above them. */
  let isStale = true
  let frame = 0
  const gone = new AbortController()
  const camera = createCamera(plane, boundsOf(first.points), {
    moves: () => drawSoon(true),
    rests: (look) => look !== props.look && props.looksElsewhere(look),
  })
  const { drag, zoom, showAll } = camera

  function drawSoon(isAll: boolean): void {
    isStale ||= isAll
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(() => {
      if (isStale) renderer.draw(camera.now())
      isStale = false
      const { points, shown, colours, regions, ringed, hits, outline } = props
      drawOverlay(overlay, {
        ...{ points, shown, camera: camera.now() },
        names: regions.filter(({ sample }) => sample.some((at) => shown[at] === 1)),
        outline: line.length === 0 ? outline : line,
        ringed: hovered === -1 ? ringed : [...ringed, hovered],
        hits: hits.map((at) => [at, hitColour(points.field, colours, at)]),
      })
    })
  }

  function show(next: Charted): void {
    const { points, colours, shown, lit, look } = next
    const before = drawn
    props = next
    drawn = next
    if (points !== before?.points) {
      renderer.setPoints(points.x, points.y)
      camera.setBounds(boundsOf(points))
    }
    const isSame =
      points === before?.points &&
      colours === before.colours &&
      shown === before.shown &&
      lit === before.lit
    if (!isSame) renderer.setColours(pointColours(points.field?.indexes, colours, shown, lit))
    const isElsewhere = camera.goTo(look)
    drawSoon(!isSame || isElsewhere)
  }

  function pointAt(pixels: Place, reach: number): number {
    const { points, shown } = props
    const now = camera.now()
    return nearestPoint({ ...points, shown }, toMap(now, pixels), reach / now.scale)
  }

  function hover(point: number): void {
    if (point === hovered) return
    hovered = point
    props.hover(point)
    drawSoon(false)
  }

  listenToGestures(plane, {
    draws: (event) => props.isSelecting || event.shiftKey,
    draw: (at) => {
      line.push(toMap(camera.now(), at))
      drawSoon(false)
    },
    endDrawing: (isWhole) => {
      const outline = line
      line = []
      drawSoon(false)
      if (isWhole && outline.length >= 3) props.select(outline)
    },
    drag,
    zoom,
    hover: (at) => hover(at === undefined ? -1 : pointAt(at, reachPixels)),
    click: (at, isFinger) => props.choose(pointAt(at, isFinger ? fingerPixels : reachPixels)),
  })
  listenToKeys(plane, { drag, zoom, showAll, leave: () => props.choose(-1) })
  // The names have the colours of the page.
  const dark = matchMedia('(prefers-color-scheme: dark)')
  dark.addEventListener('change', () => drawSoon(false), gone)
  show(first)

  const end = () => {
    camera.end()
    gone.abort()
    cancelAnimationFrame(frame)
  }
  return { show, zoom, showAll, end }
}
