/** Bytes of a term besides its units, in a map and an array. */
const termBytes = 80
/** Terms are sorted when those that are not are more than this share. */
const maxUnsorted = 1 / 8

/** The different terms of documents, numbered in the order in which they were met. */
export class Terms {
  readonly #numbers = new Map<string, number>()
  readonly #words: string[] = []
  #units = 0
  /** The numbers of the terms that were first met, in the order of the terms. */
  #sorted = new Uint32Array(0)

  get bytes(): number {
    return termBytes * this.#words.length + 2 * this.#units + this.#sorted.byteLength
  }

  find(word: string): number | undefined {
    return this.#numbers.get(word)
  }

  /** Numbers a word that is new. */
  numberOf(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    const number = this.#words.length
    // A part of a text would keep the whole text in memory.
    const copy = word.split('').join('')
    this.#numbers.set(copy, number)
    this.#words.push(copy)
    this.#units += copy.length
    return number
  }

  /** In the order of their numbers. */
  get all(): readonly string[] {
    return this.#words
  }

  /**
   * Sorts, if too many are not.
   * @returns how many are not sorted still: each of them is compared with a beginning
   */
  sort(): number {
    const unsorted = this.#words.length - this.#sorted.length
    if (unsorted <= this.#words.length * maxUnsorted) return unsorted
    // Is fast for those that are in order already.
    const numbers = Array.from(this.#words, (_, at) => this.#sorted[at] ?? at)
    numbers.sort((one, other) => (this.#word(one) < this.#word(other) ? -1 : 1))
    this.#sorted = Uint32Array.from(numbers)
    return 0
  }

  *beginningWith(beginning: string): Generator<number> {
    for (let at = this.#firstFrom(beginning); at < this.#sorted.length; at += 1) {
      const number = this.#sorted[at] ?? 0
      if (!this.#word(number).startsWith(beginning)) break
      yield number
    }
    for (let number = this.#sorted.length; number < this.#words.length; number += 1) {
      if (this.#word(number).startsWith(beginning)) yield number
    }
  }

  /** The first place in the order whose term does not come before a word. */
  #firstFrom(word: string): number {
    let first = 0
    let end = this.#sorted.length
    while (first < end) {
      const middle = (first + end) >> 1
      if (this.#word(this.#sorted[middle] ?? 0) < word) first = middle + 1
      else end = middle
    }
    return first
  }

  #word(number: number): string {
    return this.#words[number] ?? ''
  }
}
