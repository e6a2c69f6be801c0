// The thread that indexes and searches the words of texts, so that this does not delay other requests.

import { LRUCache } from 'lru-cache'
import { serveRequests } from '../../concurrency/serve-requests.ts'
import { type Highlight, highlighter, tokensRead } from './highlights.ts'
import { Sums } from './sums.ts'
import type { FoundText, StoredText, WordMessage, WordReply } from './thread.ts'
import { type Token, tokensOf } from './tokens.ts'
import { TooFrequent, WordIndex } from './word-index.ts'
import { parseWords } from './word-query.ts'

const indexes = new Map<number, WordIndex>()
const sums = { scores: new Sums(), occurrences: new Sums() }
/** The tokens of a page of long results, which each search of a batch may find. In bytes. */
const readLast = new LRUCache<string, readonly Token[]>({
  maxSize: 48 * 2 ** 20,
  sizeCalculation: (tokens, text) => 100 * (tokens.length + 1) + 2 * text.length,
})

function answer(message: WordMessage): WordReply {
  switch (message.do) {
    case 'drop':
      indexes.delete(message.index)
      return 'gone'
    case 'put':
      return put(message.index, message.texts)
    case 'search': {
      const { words, page, kept } = message.request
      const textIds: string[] | undefined = kept === undefined ? undefined : JSON.parse(kept)
      return ask(message.index, (index) => index.search(parseWords(words), page, textIds))
    }
    case 'excluded': {
      const { words, textIds } = message
      return ask(message.index, (index) => ({
        excluded: index.having(parseWords(words).excluded, textIds),
      }))
    }
    case 'highlight':
      return { highlights: highlightsIn(message.texts) }
  }
}

function put(number: number, texts: readonly StoredText[]): WordReply {
  // Only the first message, without texts, begins an index: what was lost meanwhile is read anew.
  const index = indexes.get(number) ?? (texts.length === 0 ? new WordIndex(sums) : undefined)
  if (index === undefined) return 'gone'
  indexes.set(number, index)
  try {
    for (const { textId, text } of texts) {
      if (text === null) index.delete(textId)
      else {
        const words = tokensOf(text).map(({ word }) => word)
        index.add(textId, words)
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    indexes.delete(number)
    return 'too large'
  }
  return { bytes: index.bytes }
}

function ask(number: number, question: (index: WordIndex) => WordReply): WordReply {
  const index = indexes.get(number)
  if (index === undefined) return 'gone'
  try {
    return question(index)
  } catch (error) {
    if (error instanceof TooFrequent) return 'too frequent'
    if (!(error instanceof RangeError)) throw error
    indexes.delete(number)
    return 'too large'
  }
}

function highlightsIn(texts: readonly FoundText[]): Highlight[][] {
  const known = new Map<string, ReturnType<typeof highlighter>>()
  return texts.map(({ text, words }) => {
    const find = known.get(words) ?? highlighter(parseWords(words))
    known.set(words, find)
    const tokens = readLast.get(text) ?? tokensRead(text)
    readLast.set(text, tokens)
    return find(text, tokens)
  })
}

serveRequests(answer)
