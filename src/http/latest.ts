/** More of them wait for whoever takes none only in place of one another. */
const mostWaiting = 64

/**
 * Takes all that is yielded as it comes, and hands it on as it is taken: who takes nothing holds nothing up. Of many
 * that wait the last ones are left out but for the very last. Who returns waits for the end of what was begun.
 */
export async function* latestOf<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item, void> {
  const waiting = new Waiting<Item>()
  const done = waiting.follow(items)
  try {
    for (;;) {
      const item = await waiting.next()
      if (item === undefined) return
      yield item.value
    }
  } finally {
    waiting.isWanted = false
    await done
  }
}

class Waiting<Item> {
  isWanted = true
  readonly #items: { readonly value: Item }[] = []
  #failure: { readonly error: unknown } | undefined
  #hasEnded = false
  #wake = () => {}

  async follow(items: AsyncGenerator<Item>): Promise<void> {
    try {
      for await (const value of items) {
        if (this.#items.length === mostWaiting) this.#items.pop()
        this.#items.push({ value })
        this.#wake()
        if (!this.isWanted) break
      }
    } catch (error) {
      this.#failure = { error }
    }
    this.#hasEnded = true
    this.#wake()
  }

  /** @returns undefined at the end @throws what the items failed with */
  async next(): Promise<{ readonly value: Item } | undefined> {
    if (this.#items.length === 0 && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const item = this.#items.shift()
    if (item === undefined && this.#failure !== undefined) throw this.#failure.error
    return item
  }
}
