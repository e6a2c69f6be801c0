import type { Page } from '../../db/page.ts'
import type { Documents } from './documents.ts'
import { FoundWords } from './found-words.ts'
import type { Postings } from './postings.ts'
import type { SearchSums } from './sums.ts'
import type { Terms } from './terms.ts'
import type { WordMatches, WordStatistics } from './thread.ts'
import { Top } from './top.ts'
import type { Phrase, SoughtWord, WordQuery } from './word-query.ts'
import { WordScores } from './word-scores.ts'
import { TooFrequent, Work } from './work.ts'

/** What counts as so much work: a place in the ranking that comes before the page. */
const perPlace = 200
/** A document that a filter keeps. */
const perKept = 10
/** The next so many matches are put in order at once. */
const matchesAtOnce = 8_192

/** The parts of an index. */
export interface IndexParts {
  readonly documents: Documents
  readonly terms: Terms
  readonly postings: Postings
}

export interface Limits {
  /** If given, only documents with these text_ids match. */
  readonly kept?: readonly string[] | undefined
  /** The documents they are ranked among; by default all of the index. */
  readonly among?: WordStatistics | undefined
  readonly maxWork: number
}

/** One search of an index, ranked by BM25. The index must not change before it ends. */
export class WordRanking {
  readonly #documents: Documents
  readonly #postings: Postings
  readonly #sums: SearchSums
  readonly #limits: Limits
  readonly #work: Work
  readonly #words: FoundWords
  readonly #ranked: WordScores

  constructor({ documents, terms, postings }: IndexParts, sums: SearchSums, limits: Limits) {
    this.#documents = documents
    this.#postings = postings
    this.#sums = sums
    this.#limits = limits
    this.#work = new Work(limits.maxWork)
    this.#words = new FoundWords(terms, postings, this.#work)
    this.#ranked = new WordScores({
      documents,
      postings,
      sums,
      work: this.#work,
      among: limits.among,
    })
  }

  /**
   * A page of the matches. With phrases, a document matches if it has all of them. What the index
   * knows of the words says how much work they are, so that too much is refused before it is done.
   * @returns steps of about a millisecond
   * @throws TooFrequent
   */
  *page(query: WordQuery, { offset, limit }: Page): Generator<void, WordMatches> {
    const { optional, phrases, excluded } = query
    const { scores } = this.#sums
    const { kept, among } = this.#limits
    scores.clear(this.#documents.numbered)
    for (const sought of [optional, ...phrases, ...excluded].flat()) yield* this.#words.find(sought)
    this.#requireFeasible(query, offset + limit)
    const isKept = kept && (yield* this.#marked(kept))
    for (const phrase of excluded) {
      for (const document of yield* this.#withAll([phrase])) {
        scores.add(document, Number.NEGATIVE_INFINITY)
      }
    }
    for (const [at, sought] of optional.entries()) {
      yield* this.#ranked.add(this.#words.of(sought).terms, among?.frequencies[at])
    }
    const candidates = phrases.length === 0 ? scores.documents() : yield* this.#withAll(phrases)
    const most = Math.min(offset + limit, candidates.length)
    this.#work.spend(perPlace * most)
    const top = new Top(most, (one, other) => {
      const difference = scores.of(one) - scores.of(other)
      return difference === 0 ? this.#documents.isBefore(one, other) : difference > 0
    })
    let total = 0
    for (let at = 0; at < candidates.length; at += 1) {
      if (at % matchesAtOnce === 0) yield
      const document = candidates[at] ?? 0
      if (scores.of(document) < 0 || isKept?.[document] === 0) continue
      total += 1
      top.add(document)
    }
    const page = top.all().slice(offset)
    const textIdOf = (document: number) => this.#documents.textIdOf(document)
    const found = page.map((document) => ({
      textId: textIdOf(document),
      score: scores.of(document),
    }))
    return { found, total }
  }

  /**
   * What is known of the words that count for the score.
   * @returns steps, as `page` does
   * @throws TooFrequent
   */
  *statistics({ optional }: WordQuery): Generator<void, { statistics: WordStatistics }> {
    const { size: documents, totalLength: length } = this.#documents
    const frequencies: number[] = []
    for (const sought of optional) {
      yield* this.#words.find(sought)
      frequencies.push(yield* this.#ranked.frequencyOf(this.#words.of(sought).terms))
    }
    return { statistics: { documents, length, frequencies } }
  }

  /**
   * Those of these text_ids whose documents have what a query excludes.
   * @returns steps, as `page` does
   * @throws TooFrequent
   */
  *excluded({ excluded }: WordQuery, textIds: readonly string[]) {
    for (const sought of excluded.flat()) yield* this.#words.find(sought)
    const phrases = excluded.map((phrase) => phrase.map((each) => this.#words.of(each).place))
    const found: string[] = []
    for (const textId of textIds) {
      const document = this.#documents.find(textId)
      if (document === undefined) continue
      const length = this.#documents.lengths[document] ?? 0
      for (const phrase of phrases) {
        if (this.#work.spend(phrase.length * length)) yield
        if (!this.#documents.hasPhrase(document, phrase)) continue
        found.push(textId)
        break
      }
    }
    return { excluded: found }
  }

  /** @throws TooFrequent if the rest of a search is certain to be too much work, on average texts */
  #requireFeasible({ optional, phrases, excluded }: WordQuery, pageEnd: number): void {
    const postings = optional.map((sought) => this.#words.of(sought).postings)
    const scored = postings.reduce((sum, each) => sum + each, 0)
    const compared = [phrases, ...excluded.map((phrase) => [phrase])].map((each) =>
      this.#workOfAll(each),
    )
    const isRankedAlone = phrases.length === 0 && excluded.length === 0
    const ranked = isRankedAlone ? perPlace * Math.min(pageEnd, this.#leastMatches(optional)) : 0
    const kept = perKept * (this.#limits.kept?.length ?? 0)
    const ahead = compared.reduce((sum, each) => sum + each, scored + ranked + kept)
    if (this.#work.exceeds(ahead)) throw new TooFrequent()
  }

  /** At least so many documents have one of the words. */
  #leastMatches(optional: readonly SoughtWord[]): number {
    const counts = optional.flatMap((sought) =>
      this.#words.of(sought).terms.map((term) => this.#postings.frequencyOf(term)),
    )
    return counts.reduce((most, count) => Math.max(most, count), 0)
  }

  /** The work of `#withAll`, without phrases that only some of its documents are compared with. */
  #workOfAll(phrases: readonly Phrase[]): number {
    const [first, ...others] = phrases
    if (first === undefined) return 0
    const { postings } = this.#words.rarestOf(phrases.flat())
    if (others.length === 0 && first.length === 1) return postings
    const { size, averageLength } = this.#documents
    const candidates = Math.min(postings, size)
    return postings + (candidates === 0 ? 0 : candidates * first.length * averageLength)
  }

  /** By document: 1 for those with these text_ids. */
  *#marked(textIds: readonly string[]): Generator<void, Uint8Array> {
    const marks = new Uint8Array(this.#documents.numbered)
    for (const textId of textIds) {
      if (this.#work.spend(perKept)) yield
      const document = this.#documents.find(textId)
      if (document !== undefined) marks[document] = 1
    }
    return marks
  }

  /** The documents with all of some phrases. */
  *#withAll(phrases: readonly Phrase[]): Generator<void, Uint32Array> {
    const words = phrases.flat()
    yield* this.#ranked.countOccurrences(this.#words.rarestOf(words).terms)
    const candidates = this.#sums.occurrences.documents().slice()
    if (words.length === 1) return candidates
    const places = phrases.map((phrase) => phrase.map((each) => this.#words.of(each).place))
    const { lengths } = this.#documents
    let count = 0
    for (const document of candidates) {
      let hasAll = true
      for (const phrase of places) {
        if (this.#work.spend(phrase.length * (lengths[document] ?? 0))) yield
        hasAll = this.#documents.hasPhrase(document, phrase)
        if (!hasAll) break
      }
      if (!hasAll) continue
      candidates[count] = document
      count += 1
    }
    return candidates.subarray(0, count)
  }
}
