/** After so much work, which takes about a millisecond, others may have their turn. */
const atOnce = 30_000

/** The words of a query occur too often for the work that a search may take. */
export class TooFrequent extends Error {}

/**
 * The work of one search: a posting, or a word of a text that a phrase is compared with, counts as
 * one. 30,000,000 take about a second.
 */
export class Work {
  readonly #most: number
  #done = 0
  #doneAtPause = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Whether so much more would be too much. */
  exceeds(more: number): boolean {
    return this.#done + more > this.#most
  }

  /** @returns whether others may have their turn @throws TooFrequent */
  spend(work: number): boolean {
    if (this.exceeds(work)) throw new TooFrequent()
    this.#done += work
    if (this.#done - this.#doneAtPause < atOnce) return false
    this.#doneAtPause = this.#done
    return true
  }
}
