import type { Page } from '../../db/page.ts'
import type { Highlight } from './highlights.ts'

/** A text as it is stored; null if the embedding has none any more, or is gone. */
export interface StoredText {
  readonly textId: string
  readonly text: string | null
}

/** A document that has the words of a query, with its BM25 score. */
export interface WordMatch {
  readonly textId: string
  readonly score: number
}

/** A page of the best matches (of equal scores by text_id), and the number of all. */
export interface WordMatches {
  readonly found: readonly WordMatch[]
  readonly total: number
}

/** What BM25 has to know of all documents. */
export interface WordStatistics {
  readonly documents: number
  /** How many words they have together. */
  readonly length: number
  /** How many of them have each word of a query, in its order. */
  readonly frequencies: readonly number[]
}

/** Words to find, and the documents they are ranked among; by default those of the index alone. */
export interface SoughtWords {
  readonly words: string
  readonly among?: WordStatistics | undefined
}

/**
 * What is asked of an index: a page of the matches, which of some texts have what the words
 * exclude, or what is known of the words.
 */
export type WordQuestion = SoughtWords &
  (
    | {
        readonly page: Page
        /** The text_ids that a filter keeps, as a JSON array; undefined without a filter. */
        readonly kept: string | undefined
      }
    | { readonly textIds: readonly string[] }
    | { readonly isCounted: true }
  )

/** A text that the words of a search may have found. */
export interface FoundText {
  readonly text: string
  readonly words: string
}

export type WordMessage =
  | { readonly do: 'drop'; readonly index: number }
  /** Begins an index that is new. */
  | { readonly do: 'put'; readonly index: number; readonly texts: readonly StoredText[] }
  | {
      readonly do: 'search'
      readonly index: number
      readonly asked: WordQuestion
      /** So much work may be done, in the units of `Work`. */
      readonly maxWork: number
    }
  | { readonly do: 'highlight'; readonly texts: readonly FoundText[] }

/** For `put`, the bytes of the index; 'too large' if it was dropped because there is no room for it. */
export type WordReply =
  | WordMatches
  | { readonly bytes: number }
  /** Those of the text_ids whose texts have what a query excludes. */
  | { readonly excluded: readonly string[] }
  | { readonly statistics: WordStatistics }
  | { readonly highlights: readonly (readonly Highlight[])[] }
  | 'gone'
  | 'too large'
  | 'too frequent'
