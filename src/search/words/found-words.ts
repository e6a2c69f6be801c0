import type { PhrasePlace } from './documents.ts'
import type { Postings } from './postings.ts'
import type { Terms } from './terms.ts'
import { keyOf, type SoughtWord } from './word-query.ts'
import type { Work } from './work.ts'

/** The work for a term that may have a beginning. */
const perTerm = 4

/** The terms that a word stands for. */
interface FoundWord {
  readonly terms: readonly number[]
  /** How many postings they have together. */
  readonly postings: number
  readonly place: PhrasePlace
}

/** The words of a query, each looked up once for all its places. */
export class FoundWords {
  readonly #terms: Terms
  readonly #postings: Postings
  readonly #work: Work
  readonly #found = new Map<string, FoundWord>()

  constructor(terms: Terms, postings: Postings, work: Work) {
    this.#terms = terms
    this.#postings = postings
    this.#work = work
  }

  *find(sought: SoughtWord): Generator<void> {
    if (this.#found.has(keyOf(sought))) return
    const terms: number[] = []
    let postings = 0
    for (const term of this.#alternatives(sought)) {
      if (sought.isBeginning && this.#work.spend(perTerm)) yield
      const frequency = this.#postings.frequencyOf(term)
      if (frequency === 0) continue
      postings += frequency
      terms.push(term)
    }
    const [term, ...others] = terms
    const place = term !== undefined && others.length === 0 ? term : new Set(terms)
    this.#found.set(keyOf(sought), { terms, postings, place })
  }

  of(sought: SoughtWord): FoundWord {
    return this.#found.get(keyOf(sought)) ?? { terms: [], postings: 0, place: new Set() }
  }

  rarestOf(words: readonly SoughtWord[]): FoundWord {
    return words
      .map((word) => this.of(word))
      .reduce((one, other) => (other.postings < one.postings ? other : one))
  }

  #alternatives({ word, isBeginning }: SoughtWord): Iterable<number> {
    if (isBeginning) {
      this.#work.spend(perTerm * this.#terms.sort())
      return this.#terms.beginningWith(word)
    }
    const term = this.#terms.find(word)
    return term === undefined ? [] : [term]
  }
}
