// The thread that indexes and searches the words of texts, so that this does not delay other requests.
// Searches and texts to index take turns, slice by slice, so that none waits for all of another.

import { LRUCache } from 'lru-cache'
import { serveRequests } from '../../concurrency/serve-requests.ts'
import { createPause } from '../../concurrency/yielding.ts'
import { type Highlight, highlighter, tokensRead } from './highlights.ts'
import { SharedIndex } from './shared-index.ts'
import { SearchSums } from './sums.ts'
import type { FoundText, StoredText, WordMessage, WordReply } from './thread.ts'
import { type Token, tokensOf } from './tokens.ts'
import { parseWords } from './word-query.ts'
import { TooFrequent } from './work.ts'

type Asked = Extract<WordMessage, { do: 'search' }>

const sliceMs = 5
const indexes = new Map<number, SharedIndex>()
/** Of an earlier search, for the next one. */
let spareSums: SearchSums | undefined
/** The tokens of a page of long results, which each search of a batch may find. In bytes. */
const readLast = new LRUCache<string, readonly Token[]>({
  maxSize: 48 * 2 ** 20,
  sizeCalculation: (tokens, text) => 100 * (tokens.length + 1) + 2 * text.length,
})

async function answer(message: WordMessage): Promise<WordReply> {
  switch (message.do) {
    case 'drop':
      indexes.delete(message.index)
      return 'gone'
    case 'put':
      return put(message.index, message.texts)
    case 'search':
      return search(message)
    case 'highlight':
      return { highlights: await highlightsIn(message.texts) }
  }
}

async function put(number: number, texts: readonly StoredText[]): Promise<WordReply> {
  // Only the first message, without texts, begins an index: what was lost meanwhile is read anew.
  if (texts.length === 0 && !indexes.has(number)) indexes.set(number, new SharedIndex())
  const pause = createPause(sliceMs)
  const read: { textId: string; words: string[] | undefined }[] = []
  for (const { textId, text } of texts) {
    read.push({ textId, words: text === null ? undefined : tokensOf(text).map(({ word }) => word) })
    await pause()
  }
  const shared = indexes.get(number)
  if (shared === undefined) return 'gone'
  return unlessRefused(number, () =>
    shared.change((index) => {
      for (const { textId, words } of read) {
        if (words === undefined) index.delete(textId)
        else index.add(textId, words)
      }
      return { bytes: index.bytes }
    }),
  )
}

async function search({ index, asked, maxWork }: Asked): Promise<WordReply> {
  const shared = indexes.get(index)
  if (shared === undefined) return 'gone'
  const sums = spareSums ?? new SearchSums()
  spareSums = undefined
  const query = parseWords(asked.words)
  const hasKept = 'page' in asked && asked.kept !== undefined
  const kept: string[] | undefined = hasKept ? JSON.parse(asked.kept) : undefined
  const found = await unlessRefused(index, () =>
    shared.search((words) => {
      const ranking = words.ranking(sums, { kept, among: asked.among, maxWork })
      if ('page' in asked) return lastOf(ranking.page(query, asked.page))
      if ('textIds' in asked) return lastOf(ranking.excluded(query, asked.textIds))
      return lastOf(ranking.statistics(query))
    }),
  )
  spareSums = sums
  return found
}

async function lastOf(steps: Generator<void, WordReply>): Promise<WordReply> {
  const pause = createPause(sliceMs)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await pause()
  }
}

/** Drops an index for which there is not enough memory. */
async function unlessRefused(number: number, work: () => Promise<WordReply>): Promise<WordReply> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TooFrequent) return 'too frequent'
    if (!(error instanceof RangeError)) throw error
    indexes.delete(number)
    return 'too large'
  }
}

async function highlightsIn(texts: readonly FoundText[]): Promise<Highlight[][]> {
  const known = new Map<string, ReturnType<typeof highlighter>>()
  const pause = createPause(sliceMs)
  const found: Highlight[][] = []
  for (const { text, words } of texts) {
    const find = known.get(words) ?? highlighter(parseWords(words))
    known.set(words, find)
    const tokens = readLast.get(text) ?? tokensRead(text)
    readLast.set(text, tokens)
    found.push(find(text, tokens))
    await pause()
  }
  return found
}

serveRequests(answer)
