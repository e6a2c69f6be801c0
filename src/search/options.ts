import { randomUUID } from 'node:crypto'
import { usualPage } from '../db/page.ts'
import type { Projection, ResultParts } from '../embeddings/projection.ts'
import type { TextIds } from '../embeddings/read.ts'
import type { Exclusion } from '../filters/exclusion.ts'
import type { Filter } from '../filters/filter.ts'
import { FloatArrays } from '../json/float-arrays.ts'
import { holdsMore, isObject, maxValues, parseJson, parseText } from '../json/parse.ts'
import type { VectorElements } from '../vectors/float32.ts'
import type { Grouping } from './groups.ts'
import type { Weights } from './words/fuse.ts'
import type { SoughtWords } from './words/thread.ts'

export interface SearchOptions {
  readonly limit: number
  readonly offset: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  /** The smallest share of random pairs that are less similar than a result. */
  readonly minPercentile: number | undefined
  /** Whether results have this share. */
  readonly percentile: boolean
  readonly exclude: Exclusion | undefined
  /** Results must satisfy it. */
  readonly filter: Filter | undefined
  /** From 0, only the most similar, to 1, only what is unlike the results before. */
  readonly diversity: number
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
  /** Whether to find what stands around each result. */
  readonly around: boolean
  /** Words to search for, alone or with a vector, and how much both rankings count then. */
  readonly words: (SoughtWords & { readonly weights: Weights }) | undefined
}

/** What an answer shows of each result. */
export interface Shown extends Projection {
  readonly parts: ResultParts
  /** What highlights are of. */
  readonly words: string
  /** The names of several projects, if each result says which it is from. */
  readonly projects?: readonly string[]
}

/** Defaults of a search and of a request for all neighbours. */
export const usualSearch: SearchOptions = {
  limit: usualPage,
  offset: 0,
  threshold: 0.5,
  minPercentile: undefined,
  percentile: false,
  diversity: 0,
  exclude: undefined,
  filter: undefined,
  exact: false,
  minRecall: undefined,
  includeSelf: false,
  grouping: undefined,
  totals: false,
  around: false,
  words: undefined,
}

/**
 * The query: a vector, or a stored embedding, which is the first text_id that exists. Without
 * either, only the words of the options.
 */
export type SearchedFor =
  | { readonly textIds: TextIds }
  | { readonly vector: VectorElements }
  | Examples
  | 'words'

/** A text_id or a vector, and where it stands in the request. */
export interface Example {
  readonly what: string | VectorElements
  readonly place: string
}

/** What results are to be like, and unlike. */
export interface Examples {
  readonly like: readonly Example[]
  readonly unlike: readonly Example[]
}

type Given = readonly Example['what'][]

/** What a request without a text to embed searches for. */
export function searchedForBy(given: {
  readonly vector?: VectorElements | undefined
  readonly text_id: string | undefined
  readonly like?: Given | undefined
  readonly unlike?: Given | undefined
}): SearchedFor {
  const { vector, text_id, like = [], unlike = [] } = given
  if (like.length + unlike.length > 0) {
    const placed = (name: string, examples: Given) =>
      examples.map((what, at) => ({ what, place: `${name}[${at}]` }))
    const what = vector ?? text_id
    const first = what === undefined ? [] : [{ what, place: 'vector' }]
    return { like: [...first, ...placed('like', like)], unlike: placed('unlike', unlike) }
  }
  if (vector !== undefined) return { vector }
  return text_id === undefined ? 'words' : { textIds: [text_id] }
}

/**
 * Parses a JSON body. If its `vector` is an array of numbers that float32 can hold, it is read as
 * float32, in a fraction of the time that the parser of JSON takes.
 * @throws 400 if the body is not JSON
 */
export function parseVectorBody(bytes: Buffer): unknown {
  const begin = bytes.indexOf('[', bytes.indexOf('"vector"'))
  const floats = new FloatArrays(bytes)
  const end = begin === -1 || holdsMore(bytes, maxValues) ? -1 : floats.read(begin)
  if (end !== -1) {
    const mark = randomUUID()
    const value = parseWith(bytes, begin, end, mark)
    // The array may also be that of another member, or be a part of a string.
    if (isObject(value) && value['vector'] === mark) {
      return { ...value, vector: floats.floats.slice(0, floats.length) }
    }
  }
  return parseJson(bytes)
}

/** Parses a text with a string instead of a part; undefined if it is not JSON. */
function parseWith(bytes: Buffer, begin: number, end: number, instead: string): unknown {
  const parts = [bytes.subarray(0, begin), Buffer.from(`"${instead}"`), bytes.subarray(end)]
  try {
    return parseText(Buffer.concat(parts))
  } catch {
    return undefined
  }
}
