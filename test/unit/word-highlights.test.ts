import { expect, it } from 'vitest'
import { highlighter, tokensRead } from '../../src/search/words/highlights.ts'
import { parseWords } from '../../src/search/words/word-query.ts'

/** The text with brackets around the highlights. */
function marked(words: string, text: string): string {
  const points = Array.from(text)
  let shown = ''
  let end = 0
  for (const part of highlighter(parseWords(words))(text, tokensRead(text))) {
    shown += points.slice(end, part.start).join('')
    shown += `[${points.slice(part.start, part.end).join('')}]`
    end = part.end
  }
  return shown + points.slice(end).join('')
}

it.each([
  ['kingdom', 'The Kingdom, the kingdoms', 'The [Kingdom], the kingdoms'],
  ['king*', 'The Kingdom, the kingdoms', 'The [Kingdom], the [kingdoms]'],
  ['kingdom the', 'The kingdom, the end', '[The] [kingdom], [the] end'],
  ['"of heaven"', 'of heaven, of earth, heaven', '[of heaven], of earth, heaven'],
  ['"of heaven" earth', 'of heaven, of earth', '[of heaven], of [earth]'],
  ['"grain of must*"', 'a grain of mustard seed', 'a [grain of mustard] seed'],
  ['"is is"', 'is is is', '[is is is]'],
  ['-heaven kingdom', 'kingdom of heaven', '[kingdom] of heaven'],
  ['λογος', 'Ἐν ἀρχῇ ἦν ὁ λόγος, Λόγος', 'Ἐν ἀρχῇ ἦν ὁ [λόγος], [Λόγος]'],
  ['uber', '😀 über u\u0308ber', '😀 [über] [u\u0308ber]'],
  ['天国', '😀天国近了', '😀[天国]近了'],
  ['天国近', '天国近了', '[天国近]了'],
  ['国', '天国近了', '天[国]近了'],
  ['"fox 日"', 'fox 日本語', '[fox 日]本語'],
  ['が', 'か\u3099くせい', '[か\u3099]くせい'],
  ['', 'nothing', 'nothing'],
  ['nothing', '', ''],
])('the words %j mark %j as %j', (words, text, expected) => {
  expect(marked(words, text)).toBe(expected)
})

it('looks at the beginning of a long text, and marks a hundred parts', () => {
  const find = (text: string) => highlighter(parseWords('word'))(text, tokensRead(text))
  expect(find(`${' '.repeat(9_996)}word`)).toEqual([{ start: 9_996, end: 10_000 }])
  expect(find(`${' '.repeat(9_996)}words`)).toEqual([])
  expect(find(`${' '.repeat(9_998)}word`)).toEqual([])
  expect(find(`${' '.repeat(9_995)}word\u{1d49c}s`)).toEqual([])
  expect(find('word '.repeat(200))).toHaveLength(100)
})
