import {
  type Bounds,
  type Camera,
  cameraOf,
  lookOf,
  moved,
  type Place,
  type Size,
  wholeMap,
  zoomed,
} from './plane.ts'

interface Hearer {
  readonly moves: () => void
  /** @param look what the URL says of the camera */
  readonly rests: (look: string) => void
}

/** The URL follows when the map is at rest. */
const restMs = 400

/** The camera above a plane, which keeps to the size of its element. */
export function createCamera(plane: HTMLElement, first: Bounds, hearer: Hearer) {
  let bounds = first
  let size: Size = { width: plane.clientWidth || 1, height: plane.clientHeight || 1 }
  const whole = () => wholeMap(size, bounds)
  let now = whole()
  let urlLook = ''
  let resting: ReturnType<typeof setTimeout> | undefined

  function lookAt(next: Camera): void {
    now = next
    hearer.moves()
    clearTimeout(resting)
    resting = setTimeout(() => {
      urlLook = lookOf(now, whole())
      hearer.rests(urlLook)
    }, restMs)
  }

  const observer = new ResizeObserver(() => {
    const before = whole().scale
    size = { width: plane.clientWidth || 1, height: plane.clientHeight || 1 }
    now = { ...now, ...size, scale: (now.scale * whole().scale) / before }
    hearer.moves()
  })
  observer.observe(plane)

  return {
    now: () => now,
    setBounds: (next: Bounds) => {
      bounds = next
    },
    /** @returns whether that is elsewhere */
    goTo: (look: string) => {
      const isElsewhere = look !== urlLook
      urlLook = look
      if (isElsewhere) now = cameraOf(look, whole())
      return isElsewhere
    },
    drag: (right: number, down: number) => lookAt(moved(now, right, down)),
    zoom: (factor: number, at: Place = { x: size.width / 2, y: size.height / 2 }) =>
      lookAt(zoomed(now, factor, at, whole().scale)),
    showAll: () => lookAt(whole()),
    end: () => {
      observer.disconnect()
      clearTimeout(resting)
    },
  }
}
