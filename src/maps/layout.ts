import type { Graph } from './fuzzy-graph.ts'
import { seededRandom } from './random.ts'

/*
 * Lays a graph out in the plane: stochastic gradient descent, as algorithm 5 of McInnes, Healy and Melville,
 * "UMAP" (2018), section 4.2, with the parameters of their program.
 */

/** 1 / (1 + a d²ᵇ) is how near two points at distance d are: their fit for min_dist 0.1 and spread 1. */
const a = 1.5769434603113077
const b = 0.8950608779109733
/** Points that an end of an edge is pushed away from for each time that it is drawn to the other. */
const negativeSamples = 5
const maxStep = 4

const largeGraph = 10_000
const epochsFor = (points: number) => (points > largeGraph ? 200 : 500)

/** Of the bits of a float32 so many are left: sign, exponent and 7 of the mantissa, within half a percent. */
const tableShift = 16

/** What `force` makes of every squared distance, to be looked up by its highest bits: a power costs ten times that. */
function tableOf(force: (squared: number) => number): Float32Array {
  const [bits, values] = [new Uint32Array(1), new Float32Array(2 ** (31 - tableShift))]
  const float = new Float32Array(bits.buffer)
  return values.map((_, place) => {
    bits[0] = (place << tableShift) + 2 ** (tableShift - 1)
    const squared = float[0] ?? 0
    return Number.isFinite(squared) ? force(squared) : 0
  })
}

const attraction = (squared: number) => (-2 * a * b * squared ** (b - 1)) / (1 + a * squared ** b)
const repulsion = (squared: number) => (2 * b) / ((0.001 + squared) * (1 + a * squared ** b))

const limited = (step: number) => (step > maxStep ? maxStep : step < -maxStep ? -maxStep : step)

/** The points of a graph, which move towards their places epoch by epoch. */
export class Layout {
  readonly epochs: number
  epoch = 0
  /** x and y of each point, one after the other. */
  readonly points: Float32Array<ArrayBuffer>
  readonly #graph: Graph
  /** Epochs between two times that an edge is looked at, and when it is next. */
  readonly #pauses: Float32Array
  readonly #due: Float32Array
  readonly #attraction = tableOf(attraction)
  readonly #repulsion = tableOf(repulsion)
  readonly #random = seededRandom(42)

  /** @param points where they are at first; they are moved */
  constructor(graph: Graph, points: Float32Array<ArrayBuffer>) {
    this.points = points
    this.epochs = epochsFor(points.length / 2)
    const largest = graph.weights.reduce((max, weight) => Math.max(max, weight), 0)
    this.#graph = graph
    // What would not be looked at once never is.
    this.#pauses = graph.weights.map((weight) =>
      weight < largest / this.epochs ? Number.POSITIVE_INFINITY : largest / weight,
    )
    this.#due = this.#pauses.slice()
  }

  get isDone(): boolean {
    return this.epoch >= this.epochs
  }

  /** One epoch. */
  step(): void {
    const { points } = this
    const { starts, ends } = this.#graph
    const [pauses, due, pull, push, random] = [
      this.#pauses,
      this.#due,
      this.#attraction,
      this.#repulsion,
      this.#random,
    ]
    const [count, rate, now] = [points.length / 2, 1 - this.epoch / this.epochs, this.epoch]
    const squares = new Float32Array(1)
    const bits = new Uint32Array(squares.buffer)
    for (let point = 0; point < count; point += 1) {
      const last = starts[point + 1] ?? 0
      let x = points[2 * point] ?? 0
      let y = points[2 * point + 1] ?? 0
      for (let edge = starts[point] ?? 0; edge < last; edge += 1) {
        const at = due[edge] ?? 0
        if (at > now) continue
        due[edge] = at + (pauses[edge] ?? 0)
        const end = 2 * (ends[edge] ?? 0)
        let dx = x - (points[end] ?? 0)
        let dy = y - (points[end + 1] ?? 0)
        squares[0] = dx * dx + dy * dy
        if ((squares[0] ?? 0) > 0) {
          const force = pull[(bits[0] ?? 0) >>> tableShift] ?? 0
          const [sx, sy] = [limited(force * dx) * rate, limited(force * dy) * rate]
          x += sx
          y += sy
          points[end] = (points[end] ?? 0) - sx
          points[end + 1] = (points[end + 1] ?? 0) - sy
        }
        for (let sample = 0; sample < negativeSamples; sample += 1) {
          const other = random() % count
          if (other === point) continue
          dx = x - (points[2 * other] ?? 0)
          dy = y - (points[2 * other + 1] ?? 0)
          squares[0] = dx * dx + dy * dy
          const force = push[(bits[0] ?? 0) >>> tableShift] ?? 0
          x += limited(force * dx) * rate
          y += limited(force * dy) * rate
        }
      }
      points[2 * point] = x
      points[2 * point + 1] = y
    }
    this.epoch += 1
  }
}
