import { describe, expect, it } from 'vitest'
import { tokensOf } from '../../src/search/words/tokens.ts'
import { WordIndex } from '../../src/search/words/word-index.ts'
import { maxPhrase, parseWords } from '../../src/search/words/word-query.ts'
import { TooFrequent } from '../../src/search/words/work.ts'
import { findPage, stepsOf } from '../support/data/words.ts'

const termsOf = (text: string) => tokensOf(text).map(({ word }) => word)

function indexOf(texts: Record<string, string>): WordIndex {
  const index = new WordIndex()
  for (const [textId, text] of Object.entries(texts)) index.add(textId, termsOf(text))
  return index
}

const search = (index: WordIndex, text: string, limit = 100, offset = 0) =>
  findPage(index, parseWords(text), { offset, limit })

const idsFor = (index: WordIndex, text: string) =>
  search(index, text).found.map(({ textId }) => textId)

describe('a search by words', () => {
  const index = indexOf({
    a: 'In the beginning was the Word, and the Word was with God',
    b: 'The same was in the beginning with God',
    c: 'All things were made by him',
    d: 'In him was life; and the life was the light of men',
    e: 'twice twice',
    f: '',
  })

  it('orders equal scores by the text_id, in whichever order they were added', () => {
    const textIds = ['', ' ', '0', '9', 'A', 'a', 'a0', 'ä', 'ﬁ', '\uffee', '𐐀', '𐐁', '💧']
    for (const order of [textIds, textIds.toReversed(), textIds.toSorted()]) {
      const tied = indexOf(Object.fromEntries(order.map((textId) => [`x${textId}`, 'word'])))
      expect(idsFor(tied, 'word')).toEqual(textIds.map((textId) => `x${textId}`))
      const page = search(tied, 'word', 2, 1).found
      expect(page.map(({ textId }) => textId)).toEqual(['x ', 'x0'])
    }
  })

  it('finds only what is kept, if that is given', () => {
    const kept = ['b', 'c', 'unknown']
    const found = findPage(index, parseWords('was'), { offset: 0, limit: 9 }, kept)
    expect(found).toMatchObject({ found: [{ textId: 'b' }], total: 1 })
  })

  it('refuses phrases of words that are too frequent', () => {
    const text = 'a '.repeat(100_000)
    const large = indexOf(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [at, text])))
    expect(search(large, 'a "a a"').total).toBe(10)
    expect(() => search(large, `"${'a '.repeat(maxPhrase)}"`)).toThrow(TooFrequent)
    expect(search(large, 'a').total).toBe(10)
  })

  it('finds all that a beginning stands for', () => {
    const many = new WordIndex()
    for (let at = 0; at < 3_000; at += 1) many.add(`${at}`, [`x${at}`, 'y'])
    expect(search(many, 'x*').total).toBe(3_000)
    expect(search(many, 'y -x*').total).toBe(0)
    expect(search(many, 'y "x* y"').total).toBe(3_000)
    // Each beginning is looked up once, however often a query has it.
    const often = Array.from({ length: 3_000 }, (_, at) => `-"x* ${at}"`).join(' ')
    expect(search(many, `y ${often}`).total).toBe(3_000)
  })

  it('refuses what is too much work before it is done', () => {
    const many = new WordIndex()
    const letters = [...'abcdefgh']
    const terms = letters.flatMap((letter) => [`${letter}1`, `${letter}2`])
    for (let at = 0; at < 1_000; at += 1) many.add(`${at}`, terms)
    const pairs = letters.flatMap((one) => letters.map((other) => `"${one}* ${other}*"`))
    const excluded = pairs.map((pair) => `-${pair}`).join(' ')
    expect(search(many, `a* ${excluded}`).total).toBe(0)
    const refused = (query: string, end: number, kept?: readonly string[]) => {
      const page = { offset: 0, limit: end }
      const steps = stepsOf(many, parseWords(query), page, kept, 100_000)
      expect(() => steps.next()).toThrow(TooFrequent)
    }
    refused(`a* ${excluded}`, 10)
    refused('a1', 1_000)
    refused('a1', 10, terms.concat(...Array(1_000).fill(terms)))
  })

  it('gives way to others in between, and may be one of several', () => {
    const many = new WordIndex()
    for (let at = 0; at < 5_000; at += 1) many.add(`${at}`, ['a', 'b', `c${at % 10}`])
    const queries = ['a -"b c3"', '"a b" c1', 'c*', '"b c7"']
    const page = { offset: 0, limit: 20 }
    const all = queries.map((query) => stepsOf(many, parseWords(query), page))
    const found: unknown[] = []
    let rounds = 0
    for (let left = all.length; left > 0; rounds += 1) {
      for (const [at, steps] of all.entries()) {
        const step = steps.next()
        if (step.done === true && step.value !== undefined) {
          found[at] = step.value
          left -= 1
        }
      }
    }
    expect(rounds).toBeGreaterThan(2)
    expect(found).toEqual(queries.map((query) => search(many, query, 20)))
  })

  it('refuses a page that is too far down', () => {
    const many = new WordIndex()
    for (let at = 0; at < 200_000; at += 1) many.add(`${(at * 7) % 200_000}`, ['y'])
    expect(search(many, 'y', 10, 100_000).found).toHaveLength(10)
    expect(() => search(many, 'y', 10, 199_000)).toThrow(TooFrequent)
  })

  it('counts no more than 255 times in a document', () => {
    const often = indexOf({ a: 'word '.repeat(300), b: 'word '.repeat(255) })
    expect(idsFor(often, 'word')).toEqual(['b', 'a'])
  })
})

describe('changes', () => {
  it('take no more memory again and again', () => {
    const index = new WordIndex()
    const replaceAll = (round: number) => {
      for (let at = 0; at < 100; at += 1) {
        const terms = Array.from({ length: 50 }, (_, place) => `${round} ${place} ${at % 7}`)
        index.add(`${at}`, terms)
        if (at === 50) search(index, '1*', 10)
      }
    }
    replaceAll(0)
    const { bytes } = index
    expect(bytes).toBeGreaterThan(50 * 100 * 8)
    for (let round = 1; round < 30; round += 1) replaceAll(round)
    expect(index.bytes).toBeLessThan(4 * bytes)
    for (let at = 0; at < 100; at += 1) index.delete(`${at}`)
    expect(index.bytes).toBeLessThan(bytes / 4)
  })
})
