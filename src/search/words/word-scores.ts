import { type Documents, deletedLength } from './documents.ts'
import { documentIn, frequencyIn, type Postings } from './postings.ts'
import type { SearchSums } from './sums.ts'
import type { WordStatistics } from './thread.ts'
import type { Work } from './work.ts'

/** The parameters of BM25, as Lucene has them. */
const k1 = 1.2
const b = 0.75

/** How much a term tells that so many of all documents have. */
const idfOf = (frequency: number, documents: number): number =>
  Math.log1p((documents - frequency + 0.5) / (frequency + 0.5))

/** @param relativeLength of the document, to the average */
const score = (idf: number, frequency: number, relativeLength: number): number =>
  (idf * frequency) / (k1 * (1 - b + b * relativeLength) + frequency)

/** What documents are scored by. */
interface Scored {
  readonly documents: Documents
  readonly postings: Postings
  readonly sums: SearchSums
  readonly work: Work
  /** The documents they are ranked among; by default all of the index. */
  readonly among: WordStatistics | undefined
}

/** The BM25 scores of the documents of an index. Its methods return steps of about a millisecond. */
export class WordScores {
  readonly #by: Scored

  constructor(by: Scored) {
    this.#by = by
  }

  /** How many documents have one of these terms. */
  *frequencyOf(terms: readonly number[]): Generator<void, number> {
    const [term, ...others] = terms
    if (term === undefined) return 0
    if (others.length === 0) return this.#by.postings.frequencyOf(term)
    yield* this.countOccurrences(terms)
    return this.#by.sums.occurrences.documents().length
  }

  /**
   * Adds the scores of documents for several terms that count as one.
   * @param frequency of all in the documents that they are ranked among
   */
  *add(terms: readonly number[], frequency: number | undefined): Generator<void> {
    const [term, ...others] = terms
    if (term === undefined) return
    if (others.length === 0) {
      yield* this.#addOfTerm(term, frequency)
      return
    }
    yield* this.countOccurrences(terms)
    const documents = this.#by.sums.occurrences.documents()
    const idf = this.#idfOf(frequency ?? documents.length)
    const { lengths } = this.#by.documents
    const { scores, occurrences } = this.#by.sums
    const averageLength = this.#averageLength
    for (const document of documents) {
      const relativeLength = (lengths[document] ?? 0) / averageLength
      scores.add(document, score(idf, occurrences.of(document), relativeLength))
    }
  }

  *#addOfTerm(term: number, frequency = this.#by.postings.frequencyOf(term)): Generator<void> {
    const idf = this.#idfOf(frequency)
    const { lengths } = this.#by.documents
    const { scores } = this.#by.sums
    const averageLength = this.#averageLength
    const postings = this.#by.postings.of(term)
    if (this.#by.work.spend(postings.length)) yield
    for (let at = 0; at < postings.length; at += 1) {
      const posting = postings[at] ?? 0
      const document = documentIn(posting)
      const length = lengths[document] ?? 0
      if (length !== deletedLength) {
        scores.add(document, score(idf, frequencyIn(posting), length / averageLength))
      }
    }
  }

  #idfOf(frequency: number): number {
    return idfOf(frequency, this.#by.among?.documents ?? this.#by.documents.size)
  }

  get #averageLength(): number {
    const { documents, length } = this.#by.among ?? { documents: 0, length: 0 }
    return documents === 0 ? this.#by.documents.averageLength : length / documents
  }

  /** How often documents have some terms. */
  *countOccurrences(terms: readonly number[]): Generator<void> {
    const { occurrences } = this.#by.sums
    occurrences.clear(this.#by.documents.numbered)
    const { lengths } = this.#by.documents
    for (const term of terms) {
      const postings = this.#by.postings.of(term)
      if (this.#by.work.spend(postings.length)) yield
      for (let at = 0; at < postings.length; at += 1) {
        const posting = postings[at] ?? 0
        const document = documentIn(posting)
        if (lengths[document] !== deletedLength) {
          occurrences.add(document, frequencyIn(posting))
        }
      }
    }
  }
}
