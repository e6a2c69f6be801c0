/** A word of a text, or two characters of a script that is written without spaces. */
export interface Token {
  /** In lower case, without accents and points. */
  readonly word: string
  /** Where it stands in the text, in UTF-16 units. */
  readonly from: number
  readonly to: number
}

/** What follows in a longer word is ignored, so that nothing can fill the memory. In code points. */
export const maxWordLength = 100
/** More units than so many code points have before normalisation, with usual marks. */
const maxUnits = 4 * maxWordLength

const separator = 1
const mark = 2
const letter = 3
/** Of a script that is written without spaces. */
const unspaced = 4

/** Accents, and the points of Hebrew and Arabic. Other scripts need their marks. */
const optionalMarks = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g
const isMark = /\p{M}/u
const isLetter = /[\p{L}\p{N}]/u
// The extensions of a script include what it shares with others, such as ー.
const unspacedScript =
  '[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]'
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
      tokens.push({ word: wordAt(text, from, at), from, to: at })
    } else at += widthAt(text, at)
  }
  return tokens
}

/** Whether a word is a single character of a script without spaces. */
export const isUnspacedCharacter = (word: string): boolean => isOneCharacter.test(word)

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
  const isWord = isLetter.test(character)
  const ofLetter = isOfUnspacedScript.test(character) ? unspaced : letter
  const kind = isWord ? ofLetter : isMark.test(character) ? mark : separator
  kinds[codePoint] = kind
  return kind
}

function wordAt(text: string, from: number, to: number): string {
  const lower = text.slice(from, Math.min(to, from + maxUnits)).toLowerCase()
  // Most words have nothing to normalise, which is slow.
  const word = isAscii(lower) ? lower : withoutMarks(lower).replaceAll('ς', 'σ')
  return word.length <= maxWordLength ? word : [...word].slice(0, maxWordLength).join('')
}

/** Composed again, since syllables of Hangul were taken apart too. */
const withoutMarks = (word: string) => word.normalize('NFD').replace(optionalMarks, '').normalize()

function isAscii(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (word.charCodeAt(at) > 0x7f) return false
  return true
}
