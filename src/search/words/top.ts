/** At least so many are kept before they are sorted. */
const leastAtOnce = 1_000

/** The first few of many numbered things in an order. */
export class Top {
  readonly #most: number
  readonly #isBefore: (one: number, other: number) => boolean
  #items: number[] = []
  /** Nothing behind it is among the first. */
  #last: number | undefined

  constructor(most: number, isBefore: (one: number, other: number) => boolean) {
    this.#most = most
    this.#isBefore = isBefore
  }

  add(item: number): void {
    if (this.#last !== undefined && !this.#isBefore(item, this.#last)) return
    if (this.#items.push(item) >= Math.max(2 * this.#most, leastAtOnce)) this.all()
  }

  /** In their order. */
  all(): readonly number[] {
    const sorted = this.#items.sort((a, b) => (this.#isBefore(a, b) ? -1 : 1))
    this.#items = sorted.slice(0, this.#most)
    this.#last = this.#items[this.#most - 1]
    return this.#items
  }
}
