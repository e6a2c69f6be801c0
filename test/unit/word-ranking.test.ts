import { expect, it } from 'vitest'
import { WordIndex } from '../../src/search/words/word-index.ts'
import type { Phrase, SoughtWord, WordQuery } from '../../src/search/words/word-query.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { byBytes } from '../support/data/vectors.ts'
import { findPage } from '../support/data/words.ts'

type Terms = readonly string[]

const isIn = (terms: Terms, { word, isBeginning }: SoughtWord) =>
  terms.filter((term) => (isBeginning ? term.startsWith(word) : term === word)).length

/** Each term of a beginning counts up to 255 times. */
function frequencyIn(terms: Terms, sought: SoughtWord): number {
  const counts = [...new Set(terms)].map((term) =>
    isIn([term], sought) > 0 ? terms.filter((other) => other === term).length : 0,
  )
  return counts.reduce((sum, count) => sum + Math.min(255, count), 0)
}

const hasPhrase = (terms: Terms, phrase: Phrase) =>
  terms.some(
    (_, first) =>
      first + phrase.length <= terms.length &&
      phrase.every((sought, at) => isIn(terms.slice(first + at, first + at + 1), sought) > 0),
  )

/** What a search must find, computed from the definition. */
function expected(documents: ReadonlyMap<string, Terms>, query: WordQuery, count: number) {
  const all = [...documents.values()]
  const average = all.reduce((sum, terms) => sum + terms.length, 0) / all.length
  const idfs = query.optional.map((sought) => {
    const n = all.filter((terms) => isIn(terms, sought) > 0).length
    return Math.log(1 + (all.length - n + 0.5) / (n + 0.5))
  })
  const scoreOf = (terms: Terms) =>
    query.optional.reduce((sum, sought, at) => {
      const tf = frequencyIn(terms, sought)
      const norm = 1.2 * (0.25 + (0.75 * terms.length) / average)
      return sum + (tf === 0 ? 0 : ((idfs[at] ?? 0) * tf) / (tf + norm))
    }, 0)
  const matches = [...documents].filter(
    ([, terms]) =>
      query.optional.some((sought) => isIn(terms, sought) > 0) &&
      query.phrases.every((phrase) => hasPhrase(terms, phrase)) &&
      !query.excluded.some((phrase) => hasPhrase(terms, phrase)),
  )
  const found = matches
    .map(([textId, terms]) => ({ textId, score: scoreOf(terms) }))
    .sort((a, b) =>
      Math.abs(b.score - a.score) > 1e-9 ? b.score - a.score : byBytes(a.textId, b.textId),
    )
  return { found: found.slice(0, count), total: found.length }
}

it('finds what the definition says, after random changes', () => {
  const random = randomNumbers(7)
  const below = (count: number) => Math.floor(random() * count)
  // Frequent and rare ones, some of which begin with others.
  const words = Array.from({ length: 60 }, (_, at) => (at * at).toString(5))
  const someWord = () => words[Math.floor(60 * random() ** 3)] ?? ''
  const someTerms = () => Array.from({ length: below(12) }, someWord)
  const index = new WordIndex()
  const documents = new Map<string, Terms>()
  for (let round = 0; round < 600; round += 1) {
    const textId = `${below(100)}`
    if (random() < (round % 200 < 140 ? 0.2 : 0.8)) {
      index.delete(textId)
      documents.delete(textId)
    } else {
      const terms = random() < 0.02 ? Array(400).fill('x').with(0, someWord()) : someTerms()
      index.add(textId, terms)
      documents.set(textId, terms)
    }
    expect(index.size).toBe(documents.size)
    const query = someQuery(below, someWord)
    const count = 1 + below(20)
    const { found, total } = findPage(index, query, { offset: 0, limit: count })
    const wanted = expected(documents, query, count)
    expect({ query, total, ids: found.map(({ textId: id }) => id) }).toEqual({
      query,
      total: wanted.total,
      ids: wanted.found.map(({ textId: id }) => id),
    })
    for (const [at, { score }] of found.entries())
      expect(score).toBeCloseTo(wanted.found[at]?.score ?? 0, 9)
  }
})

function someQuery(below: (count: number) => number, someWord: () => string): WordQuery {
  const sought = () => ({ word: someWord(), isBeginning: below(6) === 0 })
  const phrase = (length: number) => Array.from({ length: length + 1 }, sought)
  const phrases = below(3) === 0 ? [phrase(below(2)), ...(below(4) === 0 ? [phrase(1)] : [])] : []
  const all = [...Array.from({ length: below(4) }, sought), ...phrases.flat()]
  return {
    optional: [...new Map(all.map((each) => [JSON.stringify(each), each])).values()],
    phrases,
    excluded: Array.from({ length: below(3) === 0 ? below(3) : 0 }, () => phrase(below(2))),
  }
}
