import { endsWord, isUnspacedCharacter, type Token, tokensOf } from './tokens.ts'

/** A word, or the beginning of words. */
export interface SoughtWord {
  readonly word: string
  readonly isBeginning: boolean
}

/** Words that follow one another. */
export type Phrase = readonly SoughtWord[]

export interface WordQuery {
  /** Words that count for the score, with those of the phrases; each once. */
  readonly optional: readonly SoughtWord[]
  readonly phrases: readonly Phrase[]
  /** Mostly single words. */
  readonly excluded: readonly Phrase[]
}

/** So many words of a phrase count: each is compared at each place of a text. */
export const maxPhrase = 32

/**
 * Reads a query: `"words in quotes"` must follow one another, what follows a minus is excluded,
 * `beginning*` stands for all words that begin so. Everything else is text; nothing is an error.
 */
export function parseWords(text: string): WordQuery {
  const optional = new Map<string, SoughtWord>()
  const phrases = new Map<string, Phrase>()
  const excluded = new Map<string, Phrase>()
  // What nobody sees must not hide a minus.
  const parts = partsOf(text.replaceAll(invisible, ''))
  for (const [at, part] of parts.entries()) {
    const isQuoted = at % 2 === 1
    const before = isQuoted ? (parts[at - 1] ?? '') : part
    const sought = ({ word, to }: Token): SoughtWord => ({
      word,
      isBeginning: part[to] === '*' || isUnspacedCharacter(word),
    })
    for (const tokens of isQuoted ? [tokensOf(part)] : chunksOf(part)) {
      const end = isQuoted ? before.length : (tokens[0]?.from ?? 0)
      const isExcluded = isMinus(before, end - 1, at === (isQuoted ? 1 : 0))
      const phrase = phraseOf(tokens).slice(0, maxPhrase).map(sought)
      const phraseKey = phrase.map(keyOf).join(' ')
      if (phrase.length > 0 && isExcluded) excluded.set(phraseKey, phrase)
      if (isExcluded) continue
      if (phrase.length > 0 && isQuoted) phrases.set(phraseKey, phrase)
      for (const each of withoutLastCharacters(tokens).map(sought)) optional.set(keyOf(each), each)
    }
  }
  return {
    optional: [...optional.values()],
    phrases: [...phrases.values()],
    excluded: [...excluded.values()],
  }
}

/** What is not in quotes and what is, in turn. A quotation mark after a word begins nothing: 5" disk. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let from = 0
  for (let open = text.indexOf('"'); open !== -1; ) {
    const close = endsWord(text, open) ? open : text.indexOf('"', open + 1)
    if (close === -1) break
    if (close > open) {
      parts.push(text.slice(from, open), text.slice(open + 1, close))
      from = close + 1
    }
    open = text.indexOf('"', close + 1)
  }
  return [...parts, text.slice(from)]
}

/** Without the zero-width space, which separates words. */
const invisible = /(?!\u200b)\p{DI}/gu

export const keyOf = ({ word, isBeginning }: SoughtWord) => `${word}${isBeginning ? '*' : ''}`

/** Tokens without white space between them, such as those of `well-known`. */
function chunksOf(part: string): Token[][] {
  const chunks: Token[][] = []
  let end = 0
  for (const token of tokensOf(part)) {
    const last = chunks.at(-1)
    if (last === undefined || /\s/.test(part.slice(end, token.from))) chunks.push([token])
    else last.push(token)
    end = token.to
  }
  return chunks
}

/** Whether this is the last character that follows the pairs of a script without spaces. */
const isLastCharacter = ({ from, to }: Token, at: number, all: readonly Token[]) =>
  to === all[at - 1]?.to && from !== all[at - 1]?.from

const withoutLastCharacters = (tokens: readonly Token[]) =>
  tokens.filter((token, at, all) => !isLastCharacter(token, at, all))

/** In a text, another character may follow the last one. Within a phrase, none does. */
const phraseOf = (tokens: readonly Token[]) =>
  tokens.filter((token, at, all) => at < all.length - 1 || !isLastCharacter(token, at, all))

/** Whether a minus is here, at the start of the query or after white space. */
const isMinus = (part: string, at: number, isFirst: boolean) =>
  part[at] === '-' && (at === 0 ? isFirst : /\s/.test(part[at - 1] ?? ''))
