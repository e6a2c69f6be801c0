import { characterEnd, isUnspacedCharacter, type Token, tokensOf } from './tokens.ts'
import type { Phrase, SoughtWord, WordQuery } from './word-query.ts'

/** A part of a text, in Unicode code points, without the one at `end`. */
export interface Highlight {
  readonly start: number
  readonly end: number
}

/** How much of a text is searched for highlights, in code points. */
export const maxRead = 10_000
const maxHighlights = 100
/** Each is compared with each place of a text. */
const maxPhrases = 20

type Span = Pick<Token, 'from' | 'to'>

/** The tokens of what is read of a text. */
export function tokensRead(text: string): Token[] {
  const end = unitsOf(text, maxRead)
  const tokens = tokensOf(text.slice(0, end))
  // Where the text was cut, a word may go on.
  if (text.length > end && tokens.at(-1)?.to === end) tokens.pop()
  return tokens
}

/** The UTF-16 units of so many code points at the beginning of a text. */
function unitsOf(text: string, codePoints: number): number {
  if (text.length <= codePoints) return text.length
  let units = 0
  for (let count = 0; count < codePoints && units < text.length; count += 1) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1
  }
  return units
}

/** Finds what a query has found in a text: its words, and those of phrases where they stand together. */
export function highlighter(query: WordQuery) {
  const phrases = query.phrases.slice(0, maxPhrases)
  const inPhrases = new Set(phrases.flatMap((phrase) => phrase.map(({ word }) => word)))
  const singles = query.optional.filter(({ word }) => !inPhrases.has(word))
  const words = new Set(singles.filter(({ isBeginning }) => !isBeginning).map(({ word }) => word))
  const beginnings = new Set(singles.filter((sought) => sought.isBeginning).map(({ word }) => word))

  /** The part of a token that was sought by itself. */
  const singlePart = (text: string, token: Token): Span | undefined => {
    const { word, from, to } = token
    if (words.has(word)) return { from, to }
    if (beginnings.size === 0) return undefined
    for (let length = 1; length <= word.length; length += 1) {
      const beginning = word.slice(0, length)
      if (beginnings.has(beginning)) return { from, to: endOf(text, token, beginning) }
    }
    return undefined
  }

  return (text: string, tokens: readonly Token[]): Highlight[] => {
    const found: Span[] = []
    for (const [at, token] of tokens.entries()) {
      const single = singlePart(text, token)
      if (single !== undefined) found.push(single)
      for (const phrase of phrases) {
        if (isPhraseAt(tokens, at, phrase)) found.push(phrasePart(text, tokens, at, phrase))
      }
    }
    return inCodePoints(text, joined(found).slice(0, maxHighlights))
  }
}

function isPhraseAt(tokens: readonly Token[], at: number, phrase: Phrase): boolean {
  for (let next = 0; next < phrase.length; next += 1) {
    const sought = phrase[next]
    if (sought === undefined || !isMet(sought, tokens[at + next])) return false
  }
  return true
}

function phrasePart(text: string, tokens: readonly Token[], at: number, phrase: Phrase): Span {
  const last = tokens[at + phrase.length - 1]
  const to = last ? endOf(text, last, phrase.at(-1)?.word ?? '') : 0
  return { from: tokens[at]?.from ?? 0, to }
}

/** Of a pair of characters, the end of the first one if that alone was sought. */
const endOf = (text: string, { from, to }: Token, word: string) =>
  isUnspacedCharacter(word) ? characterEnd(text, from) : to

const isMet = ({ word, isBeginning }: SoughtWord, token: Token | undefined) =>
  token !== undefined && (isBeginning ? token.word.startsWith(word) : token.word === word)

/** Parts that overlap or touch as one, in their order. */
function joined(parts: readonly Span[]): Span[] {
  const all: Span[] = []
  for (const part of parts.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = all.at(-1)
    if (last === undefined || part.from > last.to) all.push(part)
    else if (part.to > last.to) all[all.length - 1] = { from: last.from, to: part.to }
  }
  return all
}

function inCodePoints(text: string, parts: readonly Span[]): Highlight[] {
  let units = 0
  let points = 0
  const pointsAt = (to: number) => {
    for (; units < to; points += 1) units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1
    return points
  }
  return parts.map(({ from, to }) => ({ start: pointsAt(from), end: pointsAt(to) }))
}
