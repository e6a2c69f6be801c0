import { diffArrays } from 'diff'

/** A part of a text that is either in both texts or only in this one. */
export interface TextPart {
  readonly text: string
  readonly isShared: boolean
}

export interface Differences {
  readonly before: readonly TextPart[]
  readonly after: readonly TextPart[]
  /** Whether a text is too long to be compared completely and was cut off. */
  readonly isCut: boolean
}

/** The work grows with this, times the number of differences. */
const maxWords = 600
/** Bounds the work on texts with very long words. */
export const maxShownCharacters = 20_000

/** Compares two texts word by word. */
export function differencesOf(before: string, after: string): Differences {
  const [one, other] = [wordsOf(before), wordsOf(after)]
  const changes = diffArrays(one.words, other.words)
  const partsWithout = (what: 'added' | 'removed') =>
    joined(
      changes.flatMap(({ value, ...change }) =>
        change[what] ? [] : { text: value.join(''), isShared: !change.added && !change.removed },
      ),
    )
  const isCut = one.isCut || other.isCut
  return { before: partsWithout('added'), after: partsWithout('removed'), isCut }
}

/** Splits into words, punctuation and spaces, even in languages that write no spaces. */
function wordsOf(text: string) {
  const begin = text.slice(0, maxShownCharacters)
  const words: string[] = []
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
  for (const { segment } of segmenter.segment(begin)) {
    // Twice, because there are about as many spaces and punctuation marks as words.
    if (words.length === 2 * maxWords) return { words, isCut: true }
    words.push(segment)
  }
  return { words, isCut: begin.length < text.length }
}

/** Joins adjacent parts. A shared space between two differing words counts as a difference. */
function joined(parts: readonly TextPart[]): TextPart[] {
  const found: { text: string; isShared: boolean }[] = []
  const differs = (at: number) => parts[at]?.isShared === false
  for (const [at, { text, ...part }] of parts.entries()) {
    const isShared = part.isShared && !(text.trim() === '' && differs(at - 1) && differs(at + 1))
    const last = found.at(-1)
    if (last?.isShared === isShared) last.text += text
    else found.push({ text, isShared })
  }
  return found
}
