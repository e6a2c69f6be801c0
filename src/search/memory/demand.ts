import { LRUCache } from 'lru-cache'

/** A search this long ago counts half. */
const halfLifeMs = 60_000
const maxCollections = 10_000

/** How often collections were searched lately, including those that are not in memory. */
export class Demand {
  readonly #counts = new LRUCache<number, { readonly count: number; readonly at: number }>({
    max: maxCollections,
  })

  note(collectionId: number): void {
    this.#counts.set(collectionId, { count: this.of(collectionId) + 1, at: performance.now() })
  }

  of(collectionId: number): number {
    const found = this.#counts.get(collectionId)
    if (found === undefined) return 0
    return found.count * 2 ** ((found.at - performance.now()) / halfLifeMs)
  }
}
