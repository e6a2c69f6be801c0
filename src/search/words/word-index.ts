import { Documents } from './documents.ts'
import { Postings } from './postings.ts'
import type { SearchSums } from './sums.ts'
import { Terms } from './terms.ts'
import { type Limits, WordRanking } from './word-ranking.ts'

/**
 * An inverted index of documents by their terms, ranked by BM25.
 * Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with Lucene's idf, which is
 * never negative.
 */
export class WordIndex {
  #documents = new Documents()
  #terms = new Terms()
  #postings = new Postings()

  /** How many documents there are. */
  get size(): number {
    return this.#documents.size
  }

  /** An estimate of its memory, without the sums. */
  get bytes(): number {
    return this.#documents.bytes + this.#terms.bytes + this.#postings.bytes
  }

  /**
   * Adds a document, or replaces the one of this text_id. Searches are faster if most documents
   * were added in the order of their text_ids.
   * @throws RangeError above 16,777,215 documents, or if there is not enough memory; the index is
   *   broken then
   */
  add(textId: string, terms: readonly string[]): void {
    this.delete(textId)
    this.#insert(
      textId,
      terms.map((term) => this.#terms.numberOf(term)),
    )
  }

  delete(textId: string): void {
    const document = this.#documents.delete(textId)
    if (document !== undefined) {
      for (const term of new Set(this.#documents.termsOf(document))) this.#postings.remove(term)
    }
    if (this.#documents.isWorn) this.#compact()
  }

  #insert(textId: string, terms: ArrayLike<number>): void {
    const document = this.#documents.add(textId, terms)
    for (let at = 0; at < terms.length; at += 1) this.#postings.add(terms[at] ?? 0, document)
  }

  /** Leaves out what was deleted. */
  #compact(): void {
    const documents = this.#documents
    const terms = new Terms()
    // Terms that no document has any more get no number.
    const numbers = this.#terms.all.map((word, term) =>
      this.#postings.frequencyOf(term) === 0 ? 0 : terms.numberOf(word),
    )
    this.#documents = new Documents()
    this.#terms = terms
    this.#postings = new Postings()
    for (const [textId, document] of documents.all()) {
      const renumbered = documents.termsOf(document).map((term) => numbers[term] ?? 0)
      this.#insert(textId, renumbered)
    }
  }

  /** One search, which must end before the index changes. */
  ranking(sums: SearchSums, limits: Limits): WordRanking {
    const [documents, terms, postings] = [this.#documents, this.#terms, this.#postings]
    return new WordRanking({ documents, terms, postings }, sums, limits)
  }
}
