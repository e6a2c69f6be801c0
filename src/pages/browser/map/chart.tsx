import { useEffect, useRef, useState } from 'hono/jsx/dom'
import {
  type Bounds,
  boundsOf,
  type Camera,
  moved,
  type Size,
  toMap,
  wholeMap,
  zoomed,
} from './camera.ts'
import { pointColours } from './colours.ts'
import { valuePlaces } from './labels.ts'
import type { MapPoints } from './map-data.ts'
import { drawOverlay } from './overlay.ts'
import { createPointRenderer, type PointRenderer } from './point-renderer.ts'
import { nearestPoint, type Outline, pointsWithin } from './selection.ts'

interface Props {
  readonly points: MapPoints
  readonly colours: ReadonlyMap<number, string>
  readonly selected: ReadonlySet<number>
  readonly isSelecting: boolean
  readonly select: (points: readonly number[]) => void
  readonly hover: (point: number) => void
}

const reachPixels = 10
const zoomStep = 1.5
const keyStep = 60

/** The points, which are moved by dragging, the wheel and keys, and chosen by drawing around them. */
export function Chart(props: Props) {
  const state = useRef<ChartState | null>(null)
  const root = useRef<HTMLElement | null>(null)
  const [hasFailed, fail] = useState(false)
  useEffect(() => {
    const { current } = root
    const made = current === null ? undefined : ChartState.make(current, props)
    if (made === undefined) return fail(true)
    state.current = made
    return () => made.end()
  }, [])
  useEffect(() => state.current?.show(props), [props])
  if (hasFailed) {
    return <p class="refusal">This browser shows no WebGL, which the map is drawn with.</p>
  }
  const button = (label: string, sign: string, act: (state: ChartState) => void) => (
    <button
      type="button"
      aria-label={label}
      onClick={() => state.current !== null && act(state.current)}
    >
      {sign}
    </button>
  )
  return (
    <div class="chart">
      <div
        ref={root}
        class={props.isSelecting ? 'plane selecting' : 'plane'}
        tabindex={0}
        role="application"
        aria-label={`Map of ${props.points.textIds.length} texts: arrow keys move it, plus and minus zoom`}
      >
        <canvas />
        <canvas />
      </div>
      <div class="zoom">
        {button('Zoom in', '+', (chart) => chart.zoom(zoomStep))}
        {button('Zoom out', '−', (chart) => chart.zoom(1 / zoomStep))}
        {button('Show all', '⤢', (chart) => chart.showAll())}
      </div>
    </div>
  )
}

/** What the pointer and keys do with the map; drawn at most once a frame. */
class ChartState {
  readonly #plane: HTMLElement
  readonly #overlay: HTMLCanvasElement
  readonly #renderer: PointRenderer
  readonly #observer: ResizeObserver
  #props: Props
  #bounds: Bounds
  #values: ReturnType<typeof valuePlaces> = []
  /** What was given to the renderer. */
  #shown: Props | undefined
  #size: Size = { width: 1, height: 1 }
  #camera: Camera = { x: 0, y: 0, scale: 1 }
  #outline: number[] = []
  #hovered = -1
  #frame = 0

  static make(plane: HTMLElement, props: Props): ChartState | undefined {
    const [canvas, overlay] = plane.querySelectorAll('canvas')
    const renderer = canvas && createPointRenderer(canvas)
    if (renderer === undefined || overlay === undefined) return undefined
    return new ChartState(plane, overlay, renderer, props)
  }

  private constructor(
    plane: HTMLElement,
    overlay: HTMLCanvasElement,
    renderer: PointRenderer,
    props: Props,
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

  show(props: Props): void {
    const { points, colours, selected } = props
    const before = this.#shown
    this.#props = props
    this.#shown = props
    if (points !== before?.points) {
      this.#renderer.setPoints(points.x, points.y)
      this.#bounds = boundsOf(points)
      this.#values = valuePlaces(points)
    }
    // Not for each point that the pointer passes.
    if (points !== before?.points || colours !== before.colours || selected !== before.selected) {
      const indexes = points.field?.indexes
      this.#renderer.setColours(pointColours(points.textIds.length, indexes, colours, selected))
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
    const plane = this.#plane
    plane.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return
      plane.setPointerCapture(event.pointerId)
      this.#outline = this.#isSelecting(event) ? [...this.#place(event)] : []
    })
    plane.addEventListener('pointermove', (event) => this.#move(event))
    plane.addEventListener('pointerup', () => this.#endOutline())
    plane.addEventListener('pointerleave', () => this.#hover(-1))
    plane.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault()
        const box = plane.getBoundingClientRect()
        const at = { x: event.clientX - box.left, y: event.clientY - box.top }
        this.zoom(1.002 ** -event.deltaY, at)
      },
      { passive: false },
    )
    plane.addEventListener('keydown', (event) => this.#press(event))
  }

  #isSelecting = (event: PointerEvent) => this.#props.isSelecting || event.shiftKey

  /** In the plane. */
  #place(event: PointerEvent): [x: number, y: number] {
    const box = this.#plane.getBoundingClientRect()
    const pixels = { x: event.clientX - box.left, y: event.clientY - box.top }
    const { x, y } = toMap(this.#camera, this.#size, pixels)
    return [x, y]
  }

  #move(event: PointerEvent): void {
    if (this.#outline.length > 0) {
      this.#outline.push(...this.#place(event))
      this.#drawSoon()
    } else if (event.buttons === 1) {
      this.#look(moved(this.#camera, event.movementX, event.movementY))
    } else {
      const [x, y] = this.#place(event)
      this.#hover(nearestPoint(this.#props.points, { x, y }, reachPixels / this.#camera.scale))
    }
  }

  #hover(point: number): void {
    if (point === this.#hovered) return
    this.#hovered = point
    this.#props.hover(point)
    this.#drawSoon()
  }

  #endOutline(): void {
    const outline: Outline = this.#outline
    this.#outline = []
    if (outline.length < 6) return
    const { x, y } = this.#props.points
    this.#props.select(pointsWithin(outline, x, y))
  }

  #press(event: KeyboardEvent): void {
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => this.#look(moved(this.#camera, keyStep, 0)),
      ArrowRight: () => this.#look(moved(this.#camera, -keyStep, 0)),
      ArrowUp: () => this.#look(moved(this.#camera, 0, keyStep)),
      ArrowDown: () => this.#look(moved(this.#camera, 0, -keyStep)),
      '+': () => this.zoom(zoomStep),
      '=': () => this.zoom(zoomStep),
      '-': () => this.zoom(1 / zoomStep),
      '0': () => this.showAll(),
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    move()
  }

  #drawSoon(): void {
    cancelAnimationFrame(this.#frame)
    this.#frame = requestAnimationFrame(() => {
      this.#renderer.draw(this.#camera, this.#size)
      drawOverlay(this.#overlay, {
        ...{ points: this.#props.points, values: this.#values },
        ...{ camera: this.#camera, size: this.#size },
        ...{ outline: this.#outline, hovered: this.#hovered },
      })
    })
  }
}
