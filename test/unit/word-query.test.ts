import { describe, expect, it } from 'vitest'
import {
  maxPhrase,
  type Phrase,
  parseWords,
  type SoughtWord,
  type WordQuery,
} from '../../src/search/words/word-query.ts'

/** A query in short: phrases in brackets, exclusions after a minus. */
function shown(query: WordQuery): string {
  const word = ({ word, isBeginning }: SoughtWord) => word + (isBeginning ? '*' : '')
  const inBrackets = (phrase: Phrase) => `[${phrase.map(word).join(' ')}]`
  const excluded = query.excluded.map((phrase) => `-${inBrackets(phrase)}`)
  return [...query.optional.map(word), ...query.phrases.map(inBrackets), ...excluded].join(' ')
}

describe('a query', () => {
  it.each([
    ['has words, each once', 'The kingdom of the Heaven', 'the kingdom of heaven'],
    ['has phrases, whose words count too', 'x "a b" "b c"', 'x a b c [a b] [b c]'],
    ['has each phrase once', '"a b" "A  B" "a"', 'a b [a b] [a]'],
    ['has exclusions', 'a -b -"c d" e', 'a e -[b] -[c d]'],
    ['may begin with an exclusion', '-a b', 'b -[a]'],
    ['may begin with an excluded phrase', '-"a b" c', 'c -[a b]'],
    ['excludes up to white space', "-well-known -l'un a", 'a -[well known] -[l un]'],
    ['has beginnings', 'king* a*b c *', 'king* a* b c'],
    ['has beginnings and words', 'a a*', 'a a*'],
    ['has beginnings in phrases and exclusions', '"a* b" -c*', 'a* b [a* b] -[c*]'],
    ['takes a last single quote as text', '"a b" c "d e', 'a b c d e [a b]'],
    ['begins no phrase after a word', '5" disk "hard drive"', '5 disk hard drive [hard drive]'],
    ['begins no phrase within a word', 'a"b c"d e', 'a b c d e'],
    ['begins no phrase after a mark', 'é" a "b c"', 'e a b c [b c]'],
    ['begins a phrase after a script without spaces', '道"与神同"', '道* 与神 神同 [与神 神同]'],
    ['takes a single quote as text', 'a "b -c', 'a b -[c]'],
    ['takes a quote and a minus as text', '"-a', 'a'],
    ['takes quotes of nothing as text', '"" a " " -"" "!"', 'a'],
    ['takes a minus in a word as text', 'a-b', 'a b'],
    ['takes a minus after a phrase as text', '"a"-b "a"-"c"', 'a b c [a] [c]'],
    ['takes other minuses as text', '- a --b -- -(c ( -d', 'a b c -[d]'],
    [
      'takes other characters as text',
      'a AND (b OR c) NOT d~2 e^3 f:g',
      'a and b or c not d 2 e 3 f g',
    ],
    ['has lines', 'a\n-b\t-c', 'a -[b] -[c]'],
    [
      'has pairs of a script without spaces',
      '太初有 -有道 "与神同"',
      '太初 初有 与神 神同 [与神 神同] -[有道]',
    ],
    ['keeps last characters within a phrase', '"有道 与神"', '有道 与神 [有道 道* 与神]'],
    ['finds single characters as beginnings', '道 a "神" -言', '道* a 神* [神*] -[言*]'],
    ['splits mixtures of scripts', '第3章abc -第3章', '第* 3 章* abc -[第* 3 章*]'],
    ['may end in pairs with a star', '太初有*', '太初 初有*'],
    ['may be empty', ' ', ''],
  ])('%s', (_, text, wanted) => {
    expect(shown(parseWords(text))).toBe(wanted)
  })

  it('has no accents', () => {
    expect(shown(parseWords('Λόγ* "ἐν ἀρχῇ" -ὁ'))).toBe('λογ* εν αρχη [εν αρχη] -[ο]')
  })

  it('has a limit of words in a phrase', () => {
    const words = Array.from({ length: 3_000 }, (_, at) => `w${at}`)
    const { phrases, optional } = parseWords(`"${words.join(' ')}"`)
    expect(phrases[0]?.map(({ word }) => word)).toEqual(words.slice(0, maxPhrase))
    expect(optional).toHaveLength(words.length)
    expect(parseWords(`"${'a '.repeat(1e5)}"`).phrases[0]).toHaveLength(maxPhrase)
  })

  it.each([
    ['quotes', '"'.repeat(1e6), ''],
    ['minuses', '-'.repeat(1e6), ''],
    ['minuses and spaces', ' -'.repeat(5e5), ''],
    ['stars', '*'.repeat(1e6), ''],
    ['excluded quotes', ' -"'.repeat(3e5), ''],
    ['excluded words', ' -a'.repeat(3e5), '-[a]'],
    ['spaces', ' '.repeat(1e6), ''],
    ['words with a minus', `-${'a-'.repeat(5e5)}`, `-[${Array(maxPhrase).fill('a').join(' ')}]`],
    ['phrases', '"a" '.repeat(2e5), 'a [a]'],
    ['letters', `${'a'.repeat(1e5)}!`, 'a'.repeat(100)],
  ])('of very many %s is no trouble', (_, text, wanted) => {
    expect(shown(parseWords(text))).toBe(wanted)
  })
})
