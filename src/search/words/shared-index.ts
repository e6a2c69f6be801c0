import { WordIndex } from './word-index.ts'

/** An index in which several searches may be under way at once, but not while it changes. */
export class SharedIndex {
  readonly #index = new WordIndex()
  readonly #searches = new Set<Promise<unknown>>()
  #changed: Promise<unknown> = Promise.resolve()

  /** Begins after the changes that were asked for before. */
  search<T>(work: (index: WordIndex) => Promise<T>): Promise<T> {
    const search = this.#changed.then(() => work(this.#index))
    this.#searches.add(search)
    return search.finally(() => this.#searches.delete(search))
  }

  /** Changes the index once all that was asked for before has ended. */
  change<T>(work: (index: WordIndex) => T): Promise<T> {
    const change = Promise.allSettled([this.#changed, ...this.#searches]).then(() =>
      work(this.#index),
    )
    this.#changed = change.catch(() => {})
    return change
  }
}
