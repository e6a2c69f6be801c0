/** Rows that are equal to a row with links, and have none themselves. */
export class Twins {
  readonly #of = new Map<number, Set<number>>()
  readonly #linked = new Map<number, number>()

  /** How many have no links. */
  get size(): number {
    return this.#linked.size
  }

  /** Whether the row has no links. */
  has(slot: number): boolean {
    return this.#linked.has(slot)
  }

  of(linked: number): Iterable<number> {
    return this.#of.get(linked) ?? []
  }

  add(slot: number, linked: number): void {
    this.#linked.set(slot, linked)
    this.#of.set(linked, (this.#of.get(linked) ?? new Set()).add(slot))
  }

  /** @returns those that no row with links stands for any more */
  remove(slot: number): Iterable<number> {
    const linked = this.#linked.get(slot)
    this.#linked.delete(slot)
    if (linked !== undefined) this.#of.get(linked)?.delete(slot)
    const left = this.of(slot)
    this.#of.delete(slot)
    for (const each of left) this.#linked.delete(each)
    return left
  }
}
