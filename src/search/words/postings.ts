type Numbers = Uint32Array<ArrayBuffer>

/** Array with room for so many numbers: the same, or a larger copy. @throws RangeError */
export function withRoom(numbers: Numbers, length: number): Numbers {
  if (length <= numbers.length) return numbers
  const larger = new Uint32Array(Math.max(length, Math.ceil(numbers.length * 1.25), 64))
  larger.set(numbers)
  return larger
}

/** Frequencies in one document are counted up to this, in the lower bits of a posting. */
export const maxFrequency = 0xff
const frequencyBits = 8

export const documentIn = (posting: number) => posting >>> frequencyBits
export const frequencyIn = (posting: number) => posting & maxFrequency

/** Bytes of a list besides its postings. */
const listBytes = 120

/** For each term the documents with it, in the order of their numbers. */
export class Postings {
  /** By term; each has room for a power of two of postings, since most are short. */
  readonly #lists: Numbers[] = []
  #lengths = new Uint32Array(0)
  #frequencies = new Uint32Array(0)
  #room = 0

  get bytes(): number {
    return 4 * this.#room + listBytes * this.#lists.length + 2 * this.#lengths.byteLength
  }

  /** How many documents have a term, without those that were deleted. */
  frequencyOf(term: number): number {
    return this.#frequencies[term] ?? 0
  }

  /** Call this for each term of a document that was deleted, whose postings stay. */
  remove(term: number): void {
    this.#frequencies[term] = this.frequencyOf(term) - 1
  }

  of(term: number): Uint32Array {
    return this.#lists[term]?.subarray(0, this.#lengths[term]) ?? new Uint32Array(0)
  }

  /**
   * Counts a term in the document with the highest number so far.
   * @param term at most the number of terms so far
   */
  add(term: number, document: number): void {
    this.#lengths = withRoom(this.#lengths, term + 1)
    this.#frequencies = withRoom(this.#frequencies, term + 1)
    const length = this.#lengths[term] ?? 0
    const list = this.#listFor(term, length)
    const posting = list[length - 1] ?? 0
    if (length > 0 && documentIn(posting) === document) {
      if (frequencyIn(posting) < maxFrequency) list[length - 1] = posting + 1
      return
    }
    list[length] = document * 2 ** frequencyBits + 1
    this.#lengths[term] = length + 1
    this.#frequencies[term] = this.frequencyOf(term) + 1
  }

  /** The list of a term, with room for one more. */
  #listFor(term: number, length: number): Numbers {
    const list = this.#lists[term]
    if (list !== undefined && length < list.length) return list
    const larger = new Uint32Array(Math.max(1, 2 * length))
    if (list !== undefined) larger.set(list)
    this.#lists[term] = larger
    this.#room += larger.length - length
    return larger
  }
}
