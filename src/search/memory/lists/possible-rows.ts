import { enlarged } from '../kernels.ts'
import type { LargestLists } from '../largest-lists.ts'
import type { Mask } from '../mask.ts'
import type { Blocks } from './blocks.ts'

/** Rows that the kernel `estimate` takes in one call, and finds at most. */
export const callRows = 2_048
/** Arrays that a large search has enlarged are not kept. */
const maxKept = 65_536

/** The rows that may be among the nearest, as far as a search has read. Searches share its arrays. */
export class PossibleRows {
  #slots = new Int32Array(callRows)
  /** How similar the rows may be. */
  #bounds = new Float32Array(callRows)
  #size = 0

  empty(): void {
    this.#size = 0
    if (this.#slots.length <= maxKept) return
    this.#slots = new Int32Array(callRows)
    this.#bounds = new Float32Array(callRows)
  }

  /**
   * Adds those in a mask of what the kernel `estimate` has found.
   * @param memory with slots, estimates and bounds from `address` on
   * @param best receives the estimates
   */
  add(
    { integers, floats }: Pick<Blocks, 'integers' | 'floats'>,
    address: number,
    found: number,
    best: LargestLists<Float64Array>,
    mask: Mask | undefined,
  ): void {
    this.#reserve(this.#size + found)
    let lowest = Number.NEGATIVE_INFINITY
    const end = address / 4 + found
    for (let at = address / 4; at < end; at += 1) {
      const slot = integers[at] ?? 0
      if (mask !== undefined && !mask.has(slot)) continue
      this.#slots[this.#size] = slot
      this.#bounds[this.#size] = floats[at + 2 * callRows] ?? 0
      this.#size += 1
      const estimate = floats[at + callRows] ?? 0
      if (estimate > lowest) lowest = best.add(0, estimate, slot)
    }
  }

  /** The slots of those that may be this similar. */
  reaching(similarity: number): Int32Array {
    const slots = new Int32Array(this.#size)
    let count = 0
    for (let at = 0; at < this.#size; at += 1) {
      if ((this.#bounds[at] ?? 0) < similarity) continue
      slots[count] = this.#slots[at] ?? 0
      count += 1
    }
    return slots.slice(0, count)
  }

  #reserve(size: number): void {
    if (size <= this.#slots.length) return
    this.#slots = enlarged(this.#slots, size, Int32Array)
    this.#bounds = enlarged(this.#bounds, size, Float32Array)
  }
}
