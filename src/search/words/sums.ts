/** A sum for each of many documents, most of them 0. */
class Sums {
  #values = new Float64Array(0)
  /** The documents whose sum is not 0. */
  #documents = new Uint32Array(0)
  #size = 0

  /** Sets all to 0. @param documents for how many there must be room */
  clear(documents: number): void {
    if (this.#size > this.#values.length / 8) this.#values.fill(0)
    else for (const document of this.documents()) this.#values[document] = 0
    this.#size = 0
    if (documents <= this.#values.length) return
    const room = Math.max(documents, Math.ceil(this.#values.length * 1.25))
    // Both or none, if there is not enough memory.
    const [values, numbers] = [new Float64Array(room), new Uint32Array(room)]
    this.#values = values
    this.#documents = numbers
  }

  /** @param amount positive, or -Infinity */
  add(document: number, amount: number): void {
    const sum = this.#values[document] ?? 0
    if (sum === 0) {
      this.#documents[this.#size] = document
      this.#size += 1
    }
    this.#values[document] = sum + amount
  }

  of(document: number): number {
    return this.#values[document] ?? 0
  }

  documents(): Uint32Array {
    return this.#documents.subarray(0, this.#size)
  }
}

/** What a search sums up, by document. Another search may use it afterwards, but not meanwhile. */
export class SearchSums {
  readonly scores = new Sums()
  readonly occurrences = new Sums()
}
