import { pointColours } from './colours.ts'
import { listenToGestures } from './gestures.ts'
import type { MapPoints } from './map-data.ts'
import { drawOverlay, type Label, valuePlaces } from './overlay.ts'
import {
  type Bounds,
  boundsOf,
  type Camera,
  moved,
  nearestPoint,
  type Place,
  pointsWithin,
  type Size,
  toMap,
  wholeMap,
  zoomed,
} from './plane.ts'
import type { PointRenderer } from './point-renderer.ts'

export interface Charted {
  readonly points: MapPoints
  readonly colours: ReadonlyMap<number, string>
  readonly selected: ReadonlySet<number>
  readonly isSelecting: boolean
  readonly isShown: (point: number) => boolean
  /** The chosen point and its neighbours. */
  readonly chosen: readonly number[]
  readonly select: (points: readonly number[]) => void
  readonly hover: (point: number) => void
  /** Receives -1 if no point is there. */
  readonly choose: (point: number) => void
}

/** The distance within which a click hits a point. Fingers are less precise than pointers. */
const [reachPixels, fingerPixels] = [10, 24]
export const zoomStep = 1.5
const keyStep = 60

/** The state of the chart: camera, outline and hovered point. It draws at most once a frame. */
export class ChartState {
  readonly #plane: HTMLElement
  readonly #overlay: HTMLCanvasElement
  readonly #renderer: PointRenderer
  readonly #observer: ResizeObserver
  #props: Charted
  #bounds: Bounds
  #values: readonly Label[] = []
  /** The props that the renderer has. */
  #shown: Charted | undefined
  #size: Size = { width: 1, height: 1 }
  #camera: Camera = { x: 0, y: 0, scale: 1 }
  #outline: Place[] = []
  #hovered = -1
  #frame = 0

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
    this.showAll()
    this.#observer = new ResizeObserver(() => this.#resize())
    this.#observer.observe(plane)
    this.#listen()
    this.show(props)
  }

  end(): void {
    this.#observer.disconnect()
    cancelAnimationFrame(this.#frame)
  }

  show(props: Charted): void {
    const { points, colours, selected, isShown } = props
    const before = this.#shown
    this.#props = props
    this.#shown = props
    if (points !== before?.points) {
      this.#renderer.setPoints(points.x, points.y)
      this.#bounds = boundsOf(points)
    }
    // Not recomputed whenever the pointer moves to another point.
    const isSame =
      points === before?.points &&
      colours === before.colours &&
      selected === before.selected &&
      isShown === before.isShown
    if (!isSame) {
      this.#values = valuePlaces(points, isShown)
      const { field, textIds } = points
      this.#renderer.setColours(
        pointColours(textIds.length, field?.indexes, colours, selected, isShown),
      )
    }
    this.#drawSoon()
  }

  zoom(factor: number, at = { x: this.#size.width / 2, y: this.#size.height / 2 }): void {
    this.#look(zoomed(this.#camera, this.#size, factor, at, this.#whole()))
  }

  showAll(): void {
    this.#look(this.#whole())
  }

  #whole = () => wholeMap(this.#size, this.#bounds)

  #look(camera: Camera): void {
    this.#camera = camera
    this.#drawSoon()
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#plane
    const before = this.#whole().scale
    this.#size = { width: Math.max(1, clientWidth), height: Math.max(1, clientHeight) }
    const factor = this.#whole().scale / before
    this.#look({ ...this.#camera, scale: this.#camera.scale * factor })
  }

  #listen(): void {
    listenToGestures(this.#plane, {
      draws: (event) => this.#props.isSelecting || event.shiftKey,
      draw: (at) => {
        this.#outline.push(toMap(this.#camera, this.#size, at))
        this.#drawSoon()
      },
      endDrawing: (isWhole) => this.#endOutline(isWhole),
      drag: (right, down) => this.#look(moved(this.#camera, right, down)),
      zoom: (factor, at) => this.zoom(factor, at),
      hover: (at) => this.#hover(at === undefined ? -1 : this.#pointAt(at, reachPixels)),
      click: (at, isFinger) =>
        this.#props.choose(this.#pointAt(at, isFinger ? fingerPixels : reachPixels)),
    })
    const step = (right: number, down: number) => () =>
      this.#look(moved(this.#camera, right * keyStep, down * keyStep))
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: step(1, 0),
      ArrowRight: step(-1, 0),
      ArrowUp: step(0, 1),
      ArrowDown: step(0, -1),
      '+': () => this.zoom(zoomStep),
      '=': () => this.zoom(zoomStep),
      '-': () => this.zoom(1 / zoomStep),
      '0': () => this.showAll(),
    }
    this.#plane.addEventListener('keydown', (event) => {
      const move = moves[event.key]
      if (move === undefined) return
      event.preventDefault()
      move()
    })
  }

  #pointAt(pixels: Place, reach: number): number {
    const { points, isShown } = this.#props
    const place = toMap(this.#camera, this.#size, pixels)
    return nearestPoint({ ...points, isShown }, place, reach / this.#camera.scale)
  }

  #hover(point: number): void {
    if (point === this.#hovered) return
    this.#hovered = point
    this.#props.hover(point)
    this.#drawSoon()
  }

  #endOutline(isWhole: boolean): void {
    const outline = this.#outline
    this.#outline = []
    this.#drawSoon()
    if (!isWhole || outline.length < 3) return
    const { points, isShown } = this.#props
    this.#props.select(pointsWithin(outline, { ...points, isShown }))
  }

  #drawSoon(): void {
    cancelAnimationFrame(this.#frame)
    this.#frame = requestAnimationFrame(() => {
      this.#renderer.draw(this.#camera, this.#size)
      drawOverlay(this.#overlay, {
        points: this.#props.points,
        values: this.#values,
        isShown: this.#props.isShown,
        camera: this.#camera,
        size: this.#size,
        outline: this.#outline,
        ringed: [...this.#props.chosen, ...(this.#hovered === -1 ? [] : [this.#hovered])],
      })
    })
  }
}
