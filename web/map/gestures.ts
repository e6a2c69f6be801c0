import type { Place } from './plane.ts'

/** Places are in pixels, relative to the plane's element. */
interface Gestures {
  /** Whether the gesture that begins here draws an outline instead of moving the map. */
  readonly draws: (event: PointerEvent) => boolean
  readonly draw: (at: Place) => void
  /** @param isWhole false if the gesture was interrupted, for example by a second finger */
  readonly endDrawing: (isWhole: boolean) => void
  readonly drag: (right: number, down: number) => void
  readonly zoom: (factor: number, at: Place) => void
  /** @param at undefined when the pointer leaves */
  readonly hover: (at: Place | undefined) => void
  readonly click: (at: Place, isFinger: boolean) => void
}

interface KeyActs {
  readonly zoom: (factor: number) => void
  readonly showAll: () => void
  readonly leave: () => void
}

/** A pointer that moves less than this clicks. */
const clickPixels = 6

const distance = (one: Place, other: Place) => Math.hypot(one.x - other.x, one.y - other.y)

/** Listens to the pointer, to one or two fingers, and to the wheel. */
export function listenToGestures(plane: HTMLElement, gestures: Gestures): void {
  /** The position of each finger, or of the pressed pointer. */
  const pressed = new Map<number, Place>()
  let isDrawing = false
  let hasMoved = false
  const pixels = ({ clientX, clientY }: MouseEvent): Place => {
    const box = plane.getBoundingClientRect()
    return { x: clientX - box.left, y: clientY - box.top }
  }
  const end = (isWhole: boolean) => {
    if (isDrawing) gestures.endDrawing(isWhole)
    isDrawing = false
  }
  plane.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    plane.setPointerCapture(event.pointerId)
    pressed.set(event.pointerId, pixels(event))
    hasMoved = pressed.size > 1
    end(false)
    isDrawing = pressed.size === 1 && gestures.draws(event)
  })
  plane.addEventListener('pointermove', (event) => {
    const before = pressed.get(event.pointerId)
    const now = pixels(event)
    if (before === undefined) gestures.hover(now)
    else if (hasMoved || distance(now, before) >= clickPixels) {
      // Smaller movements still count as a click.
      hasMoved = true
      pressed.set(event.pointerId, now)
      const [other] = [...pressed].flatMap(([id, at]) => (id === event.pointerId ? [] : [at]))
      if (isDrawing) gestures.draw(now)
      else if (other === undefined) gestures.drag(now.x - before.x, now.y - before.y)
      else pinch(gestures, before, now, other)
    }
  })
  plane.addEventListener('pointerup', (event) => {
    if (!pressed.delete(event.pointerId)) return
    end(true)
    if (!hasMoved) gestures.click(pixels(event), event.pointerType === 'touch')
  })
  // The browser cancels the pointer when it scrolls the page instead.
  plane.addEventListener('pointercancel', ({ pointerId }) => {
    pressed.delete(pointerId)
    end(false)
  })
  plane.addEventListener('pointerleave', () => gestures.hover(undefined))
  const isActive = { passive: false }
  // One finger may scroll the page; two fingers move the map.
  const keepTwo = (event: TouchEvent) =>
    event.touches.length > 1 && event.cancelable && event.preventDefault()
  plane.addEventListener('touchmove', keepTwo, isActive)
  const roll = (event: WheelEvent) => {
    event.preventDefault()
    gestures.zoom(1.002 ** -event.deltaY, pixels(event))
  }
  plane.addEventListener('wheel', roll, isActive)
}

/** Each of two fingers moves the map by half its own movement, and their distance zooms it. */
function pinch({ drag, zoom }: Gestures, before: Place, now: Place, other: Place): void {
  drag((now.x - before.x) / 2, (now.y - before.y) / 2)
  const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
  zoom(distance(now, other) / Math.max(1, distance(before, other)), middle)
}

export const zoomStep = 1.5
const keyStep = 60

/** Arrow keys move the map, plus and minus zoom, 0 shows all, and Escape leaves the chosen point. */
export function listenToKeys(
  plane: HTMLElement,
  { drag, zoom, showAll, leave }: Pick<Gestures, 'drag'> & KeyActs,
): void {
  const acts: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => drag(keyStep, 0),
    ArrowRight: () => drag(-keyStep, 0),
    ArrowUp: () => drag(0, keyStep),
    ArrowDown: () => drag(0, -keyStep),
    '+': () => zoom(zoomStep),
    '=': () => zoom(zoomStep),
    '-': () => zoom(1 / zoomStep),
    '0': showAll,
    Escape: leave,
  }
  plane.addEventListener('keydown', (event) => {
    if (acts[event.key] !== undefined) event.preventDefault()
    acts[event.key]?.()
  })
}
