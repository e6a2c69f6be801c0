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

/** The comparison table needs the square of this. */
const maxWords = 600
/** Bounds the work on texts with very long words. */
export const maxShownCharacters = 20_000

/** Compares two texts word by word. Their longest common subsequence counts as shared. */
export function differencesOf(before: string, after: string): Differences {
  const [one, other] = [wordsOf(before), wordsOf(after)]
  const [isOneShared, isOtherShared] = sharedOf(one.words, other.words)
  return {
    before: partsOf(one.words, isOneShared),
    after: partsOf(other.words, isOtherShared),
    isCut: one.isCut || other.isCut,
  }
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

/** For each word of both texts, whether it is in the longest common subsequence. */
function sharedOf(one: readonly string[], other: readonly string[]): [boolean[], boolean[]] {
  const shared: [boolean[], boolean[]] = [one.map(() => false), other.map(() => false)]
  const mark = (at: number, there: number) => {
    shared[0][at] = true
    shared[1][there] = true
  }
  let from = 0
  const shorter = Math.min(one.length, other.length)
  for (; from < shorter && one[from] === other[from]; from += 1) mark(from, from)
  let [end, otherEnd] = [one.length, other.length]
  for (; end > from && otherEnd > from && one[end - 1] === other[otherEnd - 1]; ) {
    end -= 1
    otherEnd -= 1
    mark(end, otherEnd)
  }
  walkTable(one.slice(from, end), other.slice(from, otherEnd), (at, there) =>
    mark(from + at, from + there),
  )
  return shared
}

/** Fills the table of subsequence lengths from the end, then follows it from the start. */
function walkTable(
  one: readonly string[],
  other: readonly string[],
  mark: (at: number, there: number) => void,
): void {
  const width = other.length + 1
  const lengths = new Uint16Array((one.length + 1) * width)
  const lengthAt = (at: number, there: number) => lengths[at * width + there] ?? 0
  for (let at = one.length - 1; at >= 0; at -= 1) {
    for (let there = other.length - 1; there >= 0; there -= 1) {
      lengths[at * width + there] =
        one[at] === other[there]
          ? lengthAt(at + 1, there + 1) + 1
          : Math.max(lengthAt(at + 1, there), lengthAt(at, there + 1))
    }
  }
  for (let at = 0, there = 0; at < one.length && there < other.length; ) {
    if (one[at] === other[there]) {
      mark(at, there)
      at += 1
      there += 1
    } else if (lengthAt(at + 1, there) >= lengthAt(at, there + 1)) at += 1
    else there += 1
  }
}

/** Joins adjacent words. A shared space between two differing words counts as a difference. */
function partsOf(words: readonly string[], isShared: readonly boolean[]): TextPart[] {
  const parts: { text: string; isShared: boolean }[] = []
  for (const [index, text] of words.entries()) {
    const isBetween =
      /^\s+$/.test(text) &&
      index > 0 &&
      index < words.length - 1 &&
      !isShared[index - 1] &&
      !isShared[index + 1]
    const shared = isShared[index] === true && !isBetween
    const last = parts.at(-1)
    if (last?.isShared === shared) last.text += text
    else parts.push({ text, isShared: shared })
  }
  return parts
}
