import { usualPage } from '../db/page.ts'
import type { Projection, ResultParts } from '../embeddings/projection.ts'
import type { TextIds } from '../embeddings/read.ts'
import type { Exclusion } from '../filters/exclusion.ts'
import type { Filter } from '../filters/filter.ts'
import { parseJson } from '../json/parse.ts'
import { isNumberArray, type VectorElements } from '../vectors/float32.ts'
import type { Grouping } from './groups.ts'
import type { Weights } from './words/fuse.ts'

export interface SearchOptions {
  readonly limit: number
  readonly offset: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  readonly exclude: Exclusion | undefined
  /** Results must satisfy it. */
  readonly filter: Filter | undefined
  /** Whether to compare every vector, even if there is an index. */
  readonly exact: boolean
  /** Recall@10 required of an index; undefined for the default. */
  readonly minRecall: number | undefined
  /** Whether the stored embedding that is searched for may be a result itself. */
  readonly includeSelf: boolean
  /** If set, limit and offset count groups. */
  readonly grouping: Grouping | undefined
  /** Whether to count all documents that reach the threshold. */
  readonly totals: boolean
  /** Words to search for, alone or with a vector, and how much both rankings count then. */
  readonly words: { readonly words: string; readonly weights: Weights } | undefined
}

/** What an answer shows of each result. */
export interface Shown extends Projection {
  readonly parts: ResultParts
  /** What highlights are of. */
  readonly words: string
}

/** Defaults of a search and of a request for all neighbours. */
export const usualSearch: SearchOptions = {
  limit: usualPage,
  offset: 0,
  threshold: 0.5,
  exclude: undefined,
  filter: undefined,
  exact: false,
  minRecall: undefined,
  includeSelf: false,
  grouping: undefined,
  totals: false,
  words: undefined,
}

/**
 * The query: a vector, or a stored embedding, which is the first text_id that exists. Without
 * either, only the words of the options.
 */
export type SearchedFor = { readonly textIds: TextIds } | { readonly vector: GivenVector } | 'words'

/** What a request without a text to embed searches for. */
export function searchedForBy(given: {
  readonly vector?: GivenVector | undefined
  readonly text_id: string | undefined
}): SearchedFor {
  if (given.vector !== undefined) return { vector: given.vector }
  return given.text_id === undefined ? 'words' : { textIds: [given.text_id] }
}

/**
 * A vector from a request: its elements, and a JSON array of them, which pgvector can read as well.
 */
export class GivenVector {
  readonly elements: VectorElements
  readonly text: string

  constructor(elements: VectorElements, text = `[${elements.join()}]`) {
    this.elements = elements
    this.text = text
  }
}

/**
 * Parses a JSON body. If its `vector` is an array of numbers, it becomes a `GivenVector` that keeps
 * the text as sent, because printing the numbers again takes longer than reading them.
 * @throws 400 if the body is not JSON
 */
export function parseVectorBody(bytes: Buffer): unknown {
  const value = parseJson(bytes)
  if (typeof value !== 'object' || value === null || !('vector' in value)) return value
  const { vector } = value
  if (!isNumberArray(vector)) return value
  return { ...value, vector: new GivenVector(vector, onlyArrayIn(bytes)) }
}

/**
 * The text of an array of numbers in a JSON text; undefined if another opening bracket makes it
 * unclear where the array begins.
 */
function onlyArrayIn(bytes: Buffer): string | undefined {
  const begin = bytes.indexOf('[')
  if (bytes.indexOf('[', begin + 1) !== -1) return undefined
  return bytes.toString('latin1', begin, bytes.indexOf(']', begin) + 1)
}
