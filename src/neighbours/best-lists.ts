/** Similarities are kept and told in steps of this size, about what float32 arithmetic can tell apart. */
const stepsPerUnit = 10_000_000

/** Below this, two cosine similarities in float32 arithmetic are the same; searches allow for as much. */
const roundingNoise = 1e-6

export interface Best {
  /** Numbers of rows, the most similar first, equal ones by number. */
  readonly neighbours: Int32Array
  /** 0 to 1. */
  readonly similarities: Float64Array
}

/**
 * For each of many rows the most similar others, so many of them at most: binary heaps, one behind the
 * other, with the least similar at the root; of equal ones the row with the highest number.
 */
export class BestLists {
  /** What a product must reach, by row, to have a chance. */
  readonly least: Float64Array
  readonly #most: number
  readonly #steps: Int32Array
  readonly #others: Int32Array
  readonly #sizes: Uint8Array

  /** @param most 1 to 255 @param threshold the smallest similarity that counts, inclusive */
  constructor(rows: number, most: number, threshold: number) {
    this.#most = most
    this.least = new Float64Array(rows).fill(threshold - roundingNoise)
    this.#steps = new Int32Array(rows * most)
    this.#others = new Int32Array(rows * most)
    this.#sizes = new Uint8Array(rows)
  }

  /** @param product of unit vectors, at least `least` of the row */
  add(row: number, product: number, other: number): void {
    const steps = Math.min(stepsPerUnit, Math.max(0, Math.round(product * stepsPerUnit)))
    const size = this.#sizes[row] ?? 0
    const root = row * this.#most
    if (size < this.#most) {
      this.#siftUp(root, size, steps, other)
      this.#sizes[row] = size + 1
      if (size + 1 < this.#most) return
    } else {
      if (!isBetter(steps, other, this.#steps[root] ?? 0, this.#others[root] ?? 0)) return
      this.#siftDown(root, size, steps, other)
    }
    const worst = ((this.#steps[root] ?? 0) - 0.5) / stepsPerUnit
    this.least[row] = Math.max(worst, this.least[row] ?? 0)
  }

  of(row: number): Best {
    const root = row * this.#most
    const places = Int32Array.from({ length: this.#sizes[row] ?? 0 }, (_, place) => root + place)
    const [steps, others] = [this.#steps, this.#others]
    places.sort((a, b) =>
      isBetter(steps[a] ?? 0, others[a] ?? 0, steps[b] ?? 0, others[b] ?? 0) ? -1 : 1,
    )
    return {
      neighbours: places.map((place) => others[place] ?? 0),
      similarities: Float64Array.from(places, (place) => (steps[place] ?? 0) / stepsPerUnit),
    }
  }

  #siftUp(root: number, size: number, value: number, other: number): void {
    const [steps, others] = [this.#steps, this.#others]
    let at = size
    while (at > 0) {
      const parent = (at - 1) >> 1
      const [above, its] = [steps[root + parent] ?? 0, others[root + parent] ?? 0]
      if (!isBetter(above, its, value, other)) break
      steps[root + at] = above
      others[root + at] = its
      at = parent
    }
    steps[root + at] = value
    others[root + at] = other
  }

  #siftDown(root: number, size: number, value: number, other: number): void {
    const [steps, others] = [this.#steps, this.#others]
    let at = 0
    for (let child = 1; child < size; child = 2 * at + 1) {
      const left = root + child
      const isRight =
        child + 1 < size &&
        isBetter(steps[left] ?? 0, others[left] ?? 0, steps[left + 1] ?? 0, others[left + 1] ?? 0)
      const below = isRight ? left + 1 : left
      if (!isBetter(value, other, steps[below] ?? 0, others[below] ?? 0)) break
      steps[root + at] = steps[below] ?? 0
      others[root + at] = others[below] ?? 0
      at = below - root
    }
    steps[root + at] = value
    others[root + at] = other
  }
}

const isBetter = (steps: number, other: number, thanSteps: number, thanOther: number): boolean =>
  steps > thanSteps || (steps === thanSteps && other < thanOther)
