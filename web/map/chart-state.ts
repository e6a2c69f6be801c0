import { hitColour, pointColours } from './colours.ts'
import { listenToGestures } from './gestures.ts'
import { drawOverlay } from './overlay.ts'
import {
  type Bounds,
  boundsOf,
  type Camera,
  cameraOf,
  lookOf,
  type MapPoints,
  moved,
  nearestPoint,
  type Outline,
  type Place,
  type Size,
  toMap,
  wholeMap,
  zoomed,
} from './plane.ts'
import type { PointRenderer } from './point-renderer.ts'
import type { Region } from './regions.ts'

export interface Charted {
  readonly points: MapPoints
  readonly colours: ReadonlyMap<number, string>
  /** 1 for each point that is shown. */
  readonly shown: Uint8Array
  /** The points that do not fade; undefined if none do. */
  readonly lit: Uint8Array | undefined
  /** What a search has found, best first. */
  readonly hits: readonly number[]
  readonly regions: readonly Region[]
  readonly isSelecting: boolean
  /** The line around what is selected. */
  readonly outline: Outline
  /** The chosen point and its neighbours. */
  readonly ringed: readonly number[]
  /** What is looked at, as `looksElsewhere` tells it; '' for the whole map. */
  readonly look: string
  readonly select: (outline: Outline) => void
  /** Receives -1 if no point is there, as `choose` does. */
  readonly hover: (point: number) => void
  readonly choose: (point: number) => void
  readonly looksElsewhere: (look: string) => void
}

/** The distance within which a click hits a point. Fingers are less precise than pointers. */
const [reachPixels, fingerPixels] = [10, 24]
export const zoomStep = 1.5
const keyStep = 60
/** The URL follows when the map is at rest. */
const restMs = 400

/** The state of the chart: camera, drawn line and hovered point. It draws at most once a frame. */
export class ChartState {
  readonly #plane: HTMLElement
  readonly #overlay: HTMLCanvasElement
  readonly #renderer: PointRenderer
  readonly #observer: ResizeObserver
  readonly #dark = matchMedia('(prefers-color-scheme: dark)')
  #props: Charted
  #bounds: Bounds
  /** The props that the renderer has. */
  #drawn: Charted | undefined
  /** Whether the points have to be drawn anew, not only what is above them. */
  #isStale = true
  #size: Size = { width: 1, height: 1 }
  #camera: Camera = { x: 0, y: 0, scale: 1 }
  #outline: Place[] = []
  #hovered = -1
  #frame = 0
  /** What the URL says of the camera. */
  #look = ''
  #resting: ReturnType<typeof setTimeout> | undefined

  constructor(
    plane: HTMLElement,
    overlay: HTMLCanvasElement,
    renderer: PointRenderer,
    props: Charted,
  ) {
    this.#plane = plane
    this.#overlay = overlay
    this.#renderer = renderer
    this.#props = props
    this.#bounds = boundsOf(props.points)
    this.#resize()
    this.#camera = this.#whole()
    this.#observer = new ResizeObserver(() => this.#resize())
    this.#observer.observe(plane)
    // The names have the colours of the page.
    this.#dark.addEventListener('change', this.#redraw)
    this.#listen()
    this.show(props)
  }

  end(): void {
    this.#observer.disconnect()
    this.#dark.removeEventListener('change', this.#redraw)
    clearTimeout(this.#resting)
    cancelAnimationFrame(this.#frame)
  }

  show(props: Charted): void {
    const { points, colours, shown, lit, look } = props
    const before = this.#drawn
    this.#props = props
    this.#drawn = props
    if (points !== before?.points) {
      this.#renderer.setPoints(points.x, points.y)
      this.#bounds = boundsOf(points)
    }
    const isSame =
      points === before?.points &&
      colours === before.colours &&
      shown === before.shown &&
      lit === before.lit
    if (!isSame) this.#renderer.setColours(pointColours(points.field?.indexes, colours, shown, lit))
    const isElsewhere = look !== this.#look
    this.#look = look
    if (isElsewhere) this.#camera = cameraOf(look, this.#whole())
    this.#drawSoon(!isSame || isElsewhere)
  }

  zoom(factor: number, at = { x: this.#size.width / 2, y: this.#size.height / 2 }): void {
    this.#lookAt(zoomed(this.#camera, this.#size, factor, at, this.#whole()))
  }

  showAll(): void {
    this.#lookAt(this.#whole())
  }

  readonly #redraw = () => this.#drawSoon(false)

  #whole = () => wholeMap(this.#size, this.#bounds)

  #lookAt(camera: Camera): void {
    this.#camera = camera
    this.#drawSoon(true)
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      this.#look = lookOf(this.#camera, this.#whole())
      if (this.#look !== this.#props.look) this.#props.looksElsewhere(this.#look)
    }, restMs)
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#plane
    const before = this.#whole().scale
    this.#size = { width: Math.max(1, clientWidth), height: Math.max(1, clientHeight) }
    const factor = this.#whole().scale / before
    this.#camera = { ...this.#camera, scale: this.#camera.scale * factor }
    this.#drawSoon(true)
  }

  #listen(): void {
    listenToGestures(this.#plane, {
      draws: (event) => this.#props.isSelecting || event.shiftKey,
      draw: (at) => {
        this.#outline.push(toMap(this.#camera, this.#size, at))
        this.#drawSoon(false)
      },
      endDrawing: (isWhole) => this.#endOutline(isWhole),
      drag: (right, down) => this.#lookAt(moved(this.#camera, right, down)),
      zoom: (factor, at) => this.zoom(factor, at),
      hover: (at) => this.#hover(at === undefined ? -1 : this.#pointAt(at, reachPixels)),
      click: (at, isFinger) =>
        this.#props.choose(this.#pointAt(at, isFinger ? fingerPixels : reachPixels)),
    })
    const step = (right: number, down: number) => () =>
      this.#lookAt(moved(this.#camera, right * keyStep, down * keyStep))
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: step(1, 0),
      ArrowRight: step(-1, 0),
      ArrowUp: step(0, 1),
      ArrowDown: step(0, -1),
      '+': () => this.zoom(zoomStep),
      '=': () => this.zoom(zoomStep),
      '-': () => this.zoom(1 / zoomStep),
      '0': () => this.showAll(),
      Escape: () => this.#props.choose(-1),
    }
    this.#plane.addEventListener('keydown', (event) => {
      const move = moves[event.key]
      if (move === undefined) return
      event.preventDefault()
      move()
    })
  }

  #pointAt(pixels: Place, reach: number): number {
    const { points, shown } = this.#props
    const place = toMap(this.#camera, this.#size, pixels)
    return nearestPoint({ ...points, shown }, place, reach / this.#camera.scale)
  }

  #hover(point: number): void {
    if (point === this.#hovered) return
    this.#hovered = point
    this.#props.hover(point)
    this.#drawSoon(false)
  }

  #endOutline(isWhole: boolean): void {
    const outline = this.#outline
    this.#outline = []
    this.#drawSoon(false)
    if (isWhole && outline.length >= 3) this.#props.select(outline)
  }

  #drawSoon(isStale: boolean): void {
    this.#isStale ||= isStale
    cancelAnimationFrame(this.#frame)
    this.#frame = requestAnimationFrame(() => {
      if (this.#isStale) this.#renderer.draw(this.#camera, this.#size)
      this.#isStale = false
      const { points, shown, colours, regions, ringed, hits, outline } = this.#props
      drawOverlay(this.#overlay, {
        points,
        shown,
        names: regions.filter(({ sample }) => sample.some((at) => shown[at] === 1)),
        camera: this.#camera,
        size: this.#size,
        outline: this.#outline.length === 0 ? outline : this.#outline,
        ringed: [...ringed, ...(this.#hovered === -1 ? [] : [this.#hovered])],
        hits: hits.map((at) => [at, hitColour(points.field, colours, at)]),
      })
    })
  }
}
