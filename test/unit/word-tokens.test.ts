import { describe, expect, it } from 'vitest'
import { maxWordLength, tokensOf } from '../../src/search/words/tokens.ts'

const wordsOf = (text: string) => tokensOf(text).map(({ word }) => word)

describe('words', () => {
  it.each([
    ['letters and digits, in lower case', 'In the 3rd Year, A.D. 29', 'in the 3rd year a d 29'],
    ['apart at apostrophes, hyphens and the like', "don't well-known a_b", 'don t well known a b'],
    ['of other scripts', 'Ἐν ἀρχῇ ἦν ὁ λόγος. Вначале!', 'εν αρχη ην ο λογοσ вначале'],
    ['with a final sigma', 'ὁ ΛΌΓΟΣ', 'ο λογοσ'],
    ['of characters beyond 16 bits', '𐐀𐐁 𝟙', '𐐨𐐩 1'],
    ['with marks on them, but not of marks alone', '\u0301 ❤\uFE0F x\u0301 \u0301y', 'x y'],
    ['of digits and letters on them', '½ x² Ⅷ ٣', '1 2 x2 viii ٣'],
    ['apart at lone surrogates', 'a\ud800b\udc00', 'a b'],
    ['of Hangul', '태초에 말씀이', '태초에 말씀이'],
    ['of Hindi, whose vowels are marks', 'आदि में वचन', 'आदि में वचन'],
    ['none', ' \n—…!', ''],
  ])('are %s', (_, text, words) => {
    expect(wordsOf(text).join(' ')).toBe(words.normalize())
  })

  it('are the same however they are composed', () => {
    const text = 'Ἐν ἀρχῇ ἦν ὁ λόγος, café, 태초에, が, בְּרֵאשִׁ֖ית, Việt'
    expect(wordsOf(text.normalize('NFD'))).toEqual(wordsOf(text.normalize('NFC')))
  })

  it('have no accents and points, but the vowels of other scripts', () => {
    expect(wordsOf('בְּרֵאשִׁ֖ית בָּרָ֣א كِتَاب')).toEqual(['בראשית', 'ברא', 'كتاب'])
    expect(wordsOf('Café naïve Việt İ ñ')).toEqual(['cafe', 'naive', 'viet', 'i', 'n'])
    expect(wordsOf('말씀이 में हिन्दी')).toEqual(['말씀이', 'में', 'हिन्दी'])
    expect(wordsOf('がぎ'.normalize('NFD'))).toEqual(['がぎ', 'ぎ'])
  })

  it('have their places in the text as it was given', () => {
    const text = '“Cafe\u0301”, 𐐀! בְּרֵא'
    const written = tokensOf(text).map(({ from, to }) => text.slice(from, to))
    expect(written).toEqual(['Cafe\u0301', '𐐀', 'בְּרֵא'])
  })

  it('are cut when they are long', () => {
    const long = `x${'y'.repeat(1e6)}`
    expect(tokensOf(`a ${long} b`)).toEqual([
      { word: 'a', from: 0, to: 1 },
      { word: long.slice(0, maxWordLength), from: 2, to: 2 + long.length },
      { word: 'b', from: 3 + long.length, to: 4 + long.length },
    ])
    expect(wordsOf('𐐨'.repeat(1_000))).toEqual(['𐐨'.repeat(maxWordLength)])
    // The same word, whose marks are characters of their own.
    expect(wordsOf('й'.repeat(1_000).normalize('NFD'))).toEqual(['и'.repeat(maxWordLength)])
  })
})

describe('scripts without spaces', () => {
  it.each([
    ['Chinese', '太初有道，道', '太初 初有 有道 道 道'],
    ['Japanese', 'コーヒーの木々', 'コー ーヒ ヒー ーの の木 木々 々'],
    ['Thai', 'ในปฐม', 'ใน นป ปฐ ฐม ม'],
    ['characters with their marks', 'กิน้ำ', 'กิน้ น้ำ ำ'],
    ['mixtures', '第3章abc', '第 3 章 abc'],
    ['characters beyond 16 bits', '𠀀𠀁𠀂', '𠀀𠀁 𠀁𠀂 𠀂'],
    ['one character', '神', '神'],
  ])('are cut into pairs: %s', (_, text, words) => {
    expect(wordsOf(text).join(' ')).toBe(words)
  })

  it('have pairs at their places', () => {
    expect(tokensOf('x神は𠀀')).toEqual([
      { word: 'x', from: 0, to: 1 },
      { word: '神は', from: 1, to: 3 },
      { word: 'は𠀀', from: 2, to: 5 },
      { word: '𠀀', from: 3, to: 5 },
    ])
  })
})

it.each([
  ['marks', `a${'\u0301\u0316'.repeat(5e5)}`, 1],
  ['marks on a character of Chinese', `神${'\u0301'.repeat(1e6)}は`, 2],
  ['nothing but marks', '\u0301'.repeat(1e6), 0],
  ['characters of Chinese', '神'.repeat(1e5), 1e5],
  ['quotes', '"'.repeat(1e6), 0],
  ['letters', `${'a'.repeat(1e5)}!`, 1],
])('very many %s are no trouble', (_, text, count) => {
  const words = wordsOf(text)
  expect(words).toHaveLength(count)
  const longest = Math.max(0, ...new Set(words.map(({ length }) => length)))
  expect(longest).toBeLessThanOrEqual(maxWordLength)
})
