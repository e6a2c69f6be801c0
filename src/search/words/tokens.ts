import { folded, isInvisible } from '../../filters/folding.ts'

/** A word of a text, or two characters of a script that is written without spaces. */
export interface Token {
  /** Without what makes no difference: see `folded`. */
  readonly word: string
  /** Where it stands in the text, in UTF-16 units. */
  readonly from: number
  readonly to: number
}

/** What follows in a longer word is ignored, so that nothing can fill the memory. In code points. */
export const maxWordLength = 100
/** More units than so many code points have before they are folded, with usual marks. */
const maxUnits = 4 * maxWordLength

const separator = 1
const mark = 2
const letter = 3
/** Of a script that is written without spaces. */
const unspaced = 4

/** Also of what follows a letter unseen, and the halfwidth marks of kana, which are letters. */
const isMark = /[\p{M}\uff9e\uff9f]/u
/** The zero-width space: what nobody sees otherwise is within words. */
const zeroWidthSpace = '\u200b'
const isLetter = /[\p{L}\p{N}]/u
const separators = /[^\p{L}\p{N}\p{M}]+/u
// The extensions of a script include what it shares with others, such as ー.
const unspacedScript =
  // Unicode lists Thai among the scripts that use the letter ʼ.
  '(?!\u02bc)[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]'
const isOfUnspacedScript = new RegExp(unspacedScript, 'u')
const isOneCharacter = new RegExp(`^${unspacedScript}\\p{M}*$`, 'u')

/** By code point, found out when it is first met; 0 before. */
const kinds = new Uint8Array(0x11_0000)

/**
 * The words of a text in their order: maximal runs of letters, digits and the marks on them. Runs
 * of a script without spaces are cut into overlapping pairs of characters; after those comes the
 * last character alone, so that each one can be found as the beginning of a token.
 */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at)
    if (kind === unspaced) at = addPairs(tokens, text, at)
    else if (kind === letter) {
      const from = at
      do at += widthAt(text, at)
      while (at < text.length && (kindAt(text, at) === letter || kindAt(text, at) === mark))
      addWords(tokens, wordAt(text, from, at), from, at)
    } else at += widthAt(text, at)
  }
  return tokens
}

/** Some letters stand for several words, such as ﷺ, or have signs, such as ½: 1⁄2. */
function addWords(tokens: Token[], folded: string, from: number, to: number): void {
  for (const word of separators.test(folded) ? folded.split(separators) : [folded]) {
    if (word !== '') tokens.push({ word, from, to })
  }
}

/** Whether a word is a single character of a script without spaces. */
export const isUnspacedCharacter = (word: string): boolean => isOneCharacter.test(word)

/** Whether a word of a script with spaces ends here. */
export function endsWord(text: string, at: number): boolean {
  let before = at
  let kind = mark
  while (before > 0 && kind === mark) {
    before -= 1
    if (before > 0 && widthAt(text, before - 1) === 2) before -= 1
    kind = kindAt(text, before)
  }
  return kind === letter
}

/** @returns where the run ends */
function addPairs(tokens: Token[], text: string, from: number): number {
  let first = from
  let second = characterEnd(text, first)
  while (second < text.length && kindAt(text, second) === unspaced) {
    const to = characterEnd(text, second)
    tokens.push({ word: wordAt(text, first, to), from: first, to })
    first = second
    second = to
  }
  tokens.push({ word: wordAt(text, first, second), from: first, to: second })
  return second
}

/** Where a character and its marks end. */
export function characterEnd(text: string, from: number): number {
  let at = from + widthAt(text, from)
  while (at < text.length && kindAt(text, at) === mark) at += widthAt(text, at)
  return at
}

const widthAt = (text: string, at: number) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

function kindAt(text: string, at: number): number {
  const codePoint = text.codePointAt(at) ?? 0
  return kinds[codePoint] || findKind(codePoint)
}

function findKind(codePoint: number): number {
  const character = String.fromCodePoint(codePoint)
  const kind = kindOf(character)
  kinds[codePoint] = kind
  return kind
}

function kindOf(character: string): number {
  if (character === zeroWidthSpace) return separator
  if (isInvisible(character) || isMark.test(character)) return mark
  if (!isLetter.test(character)) return separator
  return isOfUnspacedScript.test(character) ? unspaced : letter
}

function wordAt(text: string, from: number, to: number): string {
  const word = withSaraAm(folded(text.slice(from, Math.min(to, from + maxUnits))))
  return word.length <= maxWordLength ? word : [...word].slice(0, maxWordLength).join('')
}

/** This vowel of Thai and Lao is two compatible characters, but counts as one. */
const withSaraAm = (word: string) =>
  word.replaceAll('\u0e4d\u0e32', '\u0e33').replaceAll('\u0ecd\u0eb2', '\u0eb3')
