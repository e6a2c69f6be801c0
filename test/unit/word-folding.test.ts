import { describe, expect, it } from 'vitest'
import { highlighter, maxRead, tokensRead } from '../../src/search/words/highlights.ts'
import { WordIndex } from '../../src/search/words/word-index.ts'
import { parseWords } from '../../src/search/words/word-query.ts'
import { findPage } from '../support/data/words.ts'

function found(text: string, words: string): string[] {
  const index = new WordIndex()
  const tokens = tokensRead(text)
  index.add(
    'text',
    tokens.map(({ word }) => word),
  )
  const query = parseWords(words)
  if (findPage(index, query, { offset: 0, limit: 1 }).found.length === 0) return []
  const characters = [...text]
  return highlighter(query)(text, tokens).map(({ start, end }) =>
    characters.slice(start, end).join(''),
  )
}

describe('words that look the same', () => {
  it.each([
    ['a soft hyphen', 'Ge\u00adsamt\u00adkon\u00adzept', 'Gesamtkonzept'],
    ['a word joiner', 'co\u2060operate', 'cooperate'],
    ['a zero-width non-joiner', 'می\u200cخواهم', 'میخواهم'],
    ['a direction mark', 'abc\u200edef', 'abcdef'],
    ['a byte order mark', '\ufeffabc', 'abc'],
    ['a variation selector', 'a\ufe0fb', 'ab'],
    ['an invisible mark in a pair', '太\u200d初', '太初'],
    ['ß in capitals', 'Straße', 'STRASSE'],
    ['capitals of ß', 'STRASSE', 'Straße'],
    ['a capital ẞ', 'GROẞ', 'groß'],
    ['a long s', 'Wachſtube', 'WACHSTUBE'],
    ['a dotless i', 'ışık', 'IŞIK'],
    ['a dotted capital i', 'İzmir', 'izmir'],
    ['a ligature', 'ﬁbrils', 'fibrils'],
    ['wide letters', 'ＡＢＣ１２３', 'abc123'],
    ['narrow kana', 'ｶﾞｲﾄﾞ', 'ガイド'],
    ['letters with an iota below', 'ᾠδή', 'ωδη'],
    ['letters in presentation form', 'ﺳﻼم', 'سلام'],
    ['Quranic marks', 'ٱلۡمُلۡكُ', 'ٱلملك'],
    ['a small high letter', 'قَدِيرٌۖ', 'قدير'],
    ['a small waw', 'لَهُۥ', 'له'],
    ['open tanwin', 'شَيࣱْ', 'شي'],
    ['the tatweel', 'كتـــاب', 'كتاب'],
    ['Syriac vowels', 'ܡܰܠܟܳܐ', 'ܡܠܟܐ'],
    ['Hebrew points', 'קֹהֶלֶת', 'קהלת'],
    ['Cyrillic titlo', 'бг҃ъ', 'бгъ'],
  ])('are the same with %s', (_, text, words) => {
    expect(found(text, words)).toEqual([text.replace(/^\ufeff/, '')])
  })

  it.each([
    ['vowels of Devanagari', 'कि', 'कु'],
    ['vowels of Thaana', 'ދިވެހި', 'ދވހ'],
    ['vowels of Tamil', 'கி', 'கு'],
    ['a zero-width space', 'ab\u200bcd', 'abcd'],
  ])('differ with %s', (_, text, words) => {
    expect(found(text, words)).toEqual([])
  })

  it('may be several where one letter stands for them', () => {
    expect(found('ﷺ', 'الله')).toEqual(['ﷺ'])
    expect(found('½ l', '1')).toEqual(['½'])
    expect(found('1 2', '½')).toEqual(['1', '2'])
    expect(found('oʼzbek', 'oʼzbek')).toEqual(['oʼzbek'])
  })

  it('are excluded by a minus that something invisible precedes or follows', () => {
    for (const words of ['b \u200f-a', 'b -\u200ea', 'b -\u00ada']) {
      expect(found('a b', words), words).toEqual([])
    }
  })

  it('are nothing where all of them is left out', () => {
    expect(tokensRead('ـــ \u3164 a').map(({ word }) => word)).toEqual(['a'])
  })
})

it('counts what is read for highlights in code points', () => {
  const text = `${'😀'.repeat(maxRead - 5)} abc def`
  expect(found(text, 'abc def')).toEqual(['abc'])
})
