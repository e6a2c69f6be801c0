/** A place in the plane's element. */
export interface Pixels {
  readonly x: number
  readonly y: number
}

interface Gestures {
  /** Whether what begins with this is an outline, and moves nothing. */
  readonly draws: (event: PointerEvent) => boolean
  readonly draw: (at: Pixels) => void
  /** @param isWhole false when the browser has taken the finger for something else */
  readonly endDrawing: (isWhole: boolean) => void
  readonly drag: (right: number, down: number) => void
  readonly zoom: (factor: number, at: Pixels) => void
  /** @param at undefined when the pointer leaves */
  readonly hover: (at: Pixels | undefined) => void
  readonly click: (at: Pixels, isFinger: boolean) => void
}

/** What moves no farther is a click. */
const clickPixels = 6

const distance = (one: Pixels, other: Pixels) => Math.hypot(one.x - other.x, one.y - other.y)

/** Of a pointer, of one finger or two, and of the wheel. */
export function listenToGestures(plane: HTMLElement, gestures: Gestures): void {
  /** Where each finger, or the pressed pointer, is. */
  const pressed = new Map<number, Pixels>()
  let isDrawing = false
  let hasMoved = false
  const pixels = ({ clientX, clientY }: MouseEvent): Pixels => {
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
      // A click may tremble.
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
  // The browser scrolls the page instead.
  plane.addEventListener('pointercancel', ({ pointerId }) => {
    pressed.delete(pointerId)
    end(false)
  })
  plane.addEventListener('pointerleave', () => gestures.hover(undefined))
  const isActive = { passive: false }
  // One finger may scroll the page; two are for the map.
  const keepTwo = (event: TouchEvent) =>
    event.touches.length > 1 && event.cancelable && event.preventDefault()
  plane.addEventListener('touchmove', keepTwo, isActive)
  const roll = (event: WheelEvent) => {
    event.preventDefault()
    gestures.zoom(1.002 ** -event.deltaY, pixels(event))
  }
  plane.addEventListener('wheel', roll, isActive)
}

/** Each of two fingers moves the map by half, and zooms it by how far they are apart. */
function pinch({ drag, zoom }: Gestures, before: Pixels, now: Pixels, other: Pixels): void {
  drag((now.x - before.x) / 2, (now.y - before.y) / 2)
  const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
  zoom(distance(now, other) / Math.max(1, distance(before, other)), middle)
}
