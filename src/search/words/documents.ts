import { textIdOrder } from '../ranking.ts'
import { withRoom } from './postings.ts'

/** Postings have 24 bits for the number of a document. */
const maxDocuments = 2 ** 24 - 1
/** The length of a document that was deleted. */
export const deletedLength = 2 ** 32 - 1
/** Bytes of a text_id besides its units, in a map and an array. */
const textIdBytes = 80

/** The terms that fit in one place of a phrase. */
export type PhrasePlace = number | ReadonlySet<number>

/** The numbered terms of documents in their order. A deleted document keeps its number and room. */
export class Documents {
  readonly #numbers = new Map<string, number>()
  /** By number, as are the next two. */
  readonly #textIds: (string | undefined)[] = []
  #lengths = new Uint32Array(0)
  /** Where the terms of each begin; those of the one before end there. */
  #starts = new Uint32Array(1)
  #terms = new Uint32Array(0)
  #totalLength = 0
  #units = 0
  /** How many documents were deleted, with their terms. */
  #deleted = 0
  /** The first so many were added in the order of their text_ids. */
  #ascending = 0

  get size(): number {
    return this.#numbers.size
  }

  /** With those that were deleted. */
  get numbered(): number {
    return this.#textIds.length
  }

  /** By number: how many terms each has; `deletedLength` for one that was deleted. */
  get lengths(): Uint32Array {
    return this.#lengths
  }

  /** How many terms all documents have together. */
  get totalLength(): number {
    return this.#totalLength
  }

  get averageLength(): number {
    return this.#totalLength / this.size
  }

  /** Whether most of the memory is for what was deleted, or no number is free. */
  get isWorn(): boolean {
    const all = this.numbered + this.#end
    return this.#deleted > all / 2 || (this.numbered === maxDocuments && this.#deleted > 0)
  }

  get bytes(): number {
    const ofTextIds = textIdBytes * this.size + 2 * this.#units
    const { byteLength } = this.#terms
    return ofTextIds + byteLength + this.#lengths.byteLength + this.#starts.byteLength
  }

  /**
   * @param terms their numbers
   * @returns its number, the highest so far
   * @throws RangeError if no number is free, or if there is not enough memory
   */
  add(textId: string, terms: ArrayLike<number>): number {
    const document = this.numbered
    if (document === maxDocuments) throw new RangeError('there are too many documents')
    const end = this.#end + terms.length
    this.#terms = withRoom(this.#terms, end)
    this.#starts = withRoom(this.#starts, document + 2)
    this.#lengths = withRoom(this.#lengths, document + 1)
    this.#terms.set(terms, this.#end)
    this.#starts[document + 1] = end
    this.#lengths[document] = terms.length
    this.#totalLength += terms.length
    this.#units += textId.length
    if (document === this.#ascending && this.#isNext(textId)) this.#ascending += 1
    this.#numbers.set(textId, document)
    this.#textIds.push(textId)
    return document
  }

  /** @returns the number it had; undefined if it is unknown */
  delete(textId: string): number | undefined {
    const document = this.#numbers.get(textId)
    if (document === undefined) return undefined
    this.#totalLength -= this.#lengths[document] ?? 0
    this.#units -= textId.length
    this.#deleted += 1 + this.termsOf(document).length
    this.#lengths[document] = deletedLength
    this.#textIds[document] = undefined
    this.#numbers.delete(textId)
    return document
  }

  /** @returns undefined if it is unknown */
  find(textId: string): number | undefined {
    return this.#numbers.get(textId)
  }

  /** In the order of their numbers. */
  all(): Iterable<[textId: string, document: number]> {
    return this.#numbers
  }

  textIdOf(document: number): string {
    return this.#textIds[document] ?? ''
  }

  termsOf(document: number): Uint32Array {
    return this.#terms.subarray(this.#starts[document], this.#starts[document + 1])
  }

  /** Whether terms that fit follow one another in a document. */
  hasPhrase(document: number, phrase: readonly PhrasePlace[]): boolean {
    const last = (this.#starts[document + 1] ?? 0) - phrase.length
    for (let first = this.#starts[document] ?? 0; first <= last; first += 1) {
      let at = 0
      while (at < phrase.length && fits(phrase[at], this.#terms[first + at] ?? 0)) at += 1
      if (at === phrase.length) return true
    }
    return false
  }

  /** Whether the text_id of a document comes before that of another. */
  isBefore(one: number, other: number): boolean {
    // Comparing text_ids is slow where very many documents have equal scores.
    if (one < this.#ascending && other < this.#ascending) return one < other
    return textIdOrder(this.textIdOf(one), this.textIdOf(other)) < 0
  }

  #isNext(textId: string): boolean {
    const last = this.#textIds.at(-1)
    return this.numbered === 0 || (last !== undefined && textIdOrder(last, textId) < 0)
  }

  get #end(): number {
    return this.#starts[this.numbered] ?? 0
  }
}

const fits = (place: PhrasePlace | undefined, term: number) =>
  place === term || (typeof place === 'object' && place.has(term))
