import type { Page } from '../../db/page.ts'
import { Documents, deletedLength, type PhrasePlace } from './documents.ts'
import { documentIn, frequencyIn, Postings } from './postings.ts'
import { Sums } from './sums.ts'
import { Terms } from './terms.ts'
import type { WordMatches } from './thread.ts'
import { Top } from './top.ts'
import type { Phrase, SoughtWord, WordQuery } from './word-query.ts'

/** The parameters of BM25, as Lucene has them. */
const k1 = 1.2
const b = 0.75
/**
 * How much a search may look at, which takes about a second: a posting or a word of a phrase counts
 * as one.
 */
const maxWork = 30_000_000
/** A term that may have a beginning, and a place in the ranking that comes before the page. */
const perTerm = 4
const perPlace = 200
/** A document that a filter keeps. */
const perKept = 10

/** The words of a query occur too often for the time that a search may take. */
export class TooFrequent extends Error {}

/**
 * An inverted index of documents by their terms, ranked by BM25.
 * Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with Lucene's idf, which is
 * never negative.
 */
export class WordIndex {
  #documents = new Documents()
  #terms = new Terms()
  #postings = new Postings()
  readonly #scores: Sums
  readonly #occurrences: Sums
  #work = 0

  /** @param sums may be shared with other indexes, since searches come one after another */
  constructor(sums = { scores: new Sums(), occurrences: new Sums() }) {
    this.#scores = sums.scores
    this.#occurrences = sums.occurrences
  }

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

  /**
   * A page of the documents by BM25. With phrases, a document matches if it has all of them.
   * @param kept if given, only documents with these text_ids match
   * @throws TooFrequent
   */
  search(
    { optional, phrases, excluded }: WordQuery,
    { offset, limit }: Page,
    kept?: readonly string[],
  ): WordMatches {
    this.#scores.clear(this.#documents.numbered)
    this.#work = 0
    for (const phrase of excluded) {
      for (const document of this.#withAll([phrase])) {
        this.#scores.add(document, Number.NEGATIVE_INFINITY)
      }
    }
    for (const sought of optional) this.#addScores(this.#termsOf(sought))
    const candidates = phrases.length === 0 ? this.#scores.documents() : this.#withAll(phrases)
    const isKept = kept && this.#marked(kept)
    const most = Math.min(offset + limit, candidates.length)
    this.#spend(perPlace * most)
    const top = new Top(most, (one, other) => {
      const difference = this.#scores.of(one) - this.#scores.of(other)
      return difference === 0 ? this.#documents.isBefore(one, other) : difference > 0
    })
    let total = 0
    for (let at = 0; at < candidates.length; at += 1) {
      const document = candidates[at] ?? 0
      if (this.#scores.of(document) < 0) continue
      if (isKept?.[document] === 0) continue
      total += 1
      top.add(document)
    }
    const found = Array.from(top.all().slice(offset), (document) => ({
      textId: this.#documents.textIdOf(document),
      score: this.#scores.of(document),
    }))
    return { found, total }
  }

  /** Those of these text_ids whose documents have one of some phrases. @throws TooFrequent */
  having(phrases: readonly Phrase[], textIds: readonly string[]): string[] {
    this.#work = 0
    const sought = phrases.map((phrase) => phrase.map((each) => placeOf(this.#termsOf(each))))
    return textIds.filter((textId) => {
      const document = this.#documents.find(textId)
      return document !== undefined && sought.some((phrase) => this.#hasPhrase(document, phrase))
    })
  }

  #hasPhrase(document: number, phrase: readonly PhrasePlace[]): boolean {
    this.#spend(phrase.length * (this.#documents.lengths[document] ?? 0))
    return this.#documents.hasPhrase(document, phrase)
  }

  /** By document: 1 for those with these text_ids. */
  #marked(textIds: readonly string[]): Uint8Array {
    this.#spend(perKept * textIds.length)
    const marks = new Uint8Array(this.#documents.numbered)
    for (const textId of textIds) {
      const document = this.#documents.find(textId)
      if (document !== undefined) marks[document] = 1
    }
    return marks
  }

  #spend(work: number): void {
    this.#work += work
    if (this.#work > maxWork) throw new TooFrequent()
  }

  /** Adds the scores of documents for several terms that count as one. */
  #addScores(terms: readonly number[]): void {
    const [term, ...others] = terms
    if (term === undefined) return
    if (others.length === 0) this.#addTermScores(term)
    else {
      const occurrences = this.#countOccurrences(terms)
      const documents = occurrences.documents()
      const idf = this.#idfOf(documents.length)
      const { lengths, averageLength } = this.#documents
      for (const document of documents) {
        const relativeLength = (lengths[document] ?? 0) / averageLength
        this.#scores.add(document, score(idf, occurrences.of(document), relativeLength))
      }
    }
  }

  #addTermScores(term: number): void {
    const idf = this.#idfOf(this.#postings.frequencyOf(term))
    const { lengths, averageLength } = this.#documents
    const postings = this.#postings.of(term)
    this.#spend(postings.length)
    for (let at = 0; at < postings.length; at += 1) {
      const posting = postings[at] ?? 0
      const document = documentIn(posting)
      const length = lengths[document] ?? 0
      if (length !== deletedLength) {
        this.#scores.add(document, score(idf, frequencyIn(posting), length / averageLength))
      }
    }
  }

  #idfOf(frequency: number): number {
    return Math.log1p((this.size - frequency + 0.5) / (frequency + 0.5))
  }

  /** How often documents have some terms. */
  #countOccurrences(terms: readonly number[]): Sums {
    this.#occurrences.clear(this.#documents.numbered)
    const { lengths } = this.#documents
    for (const term of terms) {
      const postings = this.#postings.of(term)
      this.#spend(postings.length)
      for (let at = 0; at < postings.length; at += 1) {
        const posting = postings[at] ?? 0
        const document = documentIn(posting)
        if (lengths[document] !== deletedLength) {
          this.#occurrences.add(document, frequencyIn(posting))
        }
      }
    }
    return this.#occurrences
  }

  /** The documents with all of some phrases. */
  #withAll(phrases: readonly Phrase[]): Uint32Array {
    const sought = phrases.map((phrase) => phrase.map((each) => this.#termsOf(each)))
    const rarest = this.#rarestOf(sought.flat())
    const candidates = this.#countOccurrences(rarest).documents()
    if (sought.flat().length === 1) return candidates.slice()
    const places = sought.map((phrase) => phrase.map(placeOf))
    return candidates.filter((document) =>
      places.every((phrase) => this.#hasPhrase(document, phrase)),
    )
  }

  #rarestOf(alternatives: readonly (readonly number[])[]): readonly number[] {
    const postings = (terms: readonly number[]) =>
      terms.reduce((sum, term) => sum + this.#postings.frequencyOf(term), 0)
    return alternatives.reduce((one, other) => (postings(other) < postings(one) ? other : one))
  }

  /** The terms that a word stands for. */
  #termsOf({ word, isBeginning }: SoughtWord): readonly number[] {
    const term = this.#terms.find(word)
    if (!isBeginning) return term === undefined ? [] : [term]
    const terms: number[] = []
    this.#spend(perTerm * this.#terms.sort())
    for (const each of this.#terms.beginningWith(word)) {
      this.#spend(perTerm)
      if (this.#postings.frequencyOf(each) > 0) terms.push(each)
    }
    return terms
  }
}

const score = (idf: number, frequency: number, relativeLength: number) =>
  (idf * frequency) / (k1 * (1 - b + b * relativeLength) + frequency)

const placeOf = (terms: readonly number[]): PhrasePlace => {
  const [term, ...others] = terms
  return term !== undefined && others.length === 0 ? term : new Set(terms)
}
