import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { randomNumbers } from '../../test/shared/random-numbers.ts'
import { createGenerator, dot, toJson } from '../data.ts'
import type { Metadata } from './filter.ts'

/** A file of vectors: float32, little-endian, one vector after the other. */
export interface VectorFile {
  readonly path: string
  readonly dimensions: number
}

/** The same vectors and queries for all that are compared. */
export interface DataSet {
  readonly name: string
  readonly dimensions: number
  /** The stored ones are those from 0 to `vectors` - 1. */
  readonly vectors: number
  /** Those that are searched for, none of which is stored. */
  readonly queries: readonly number[]
  vectorAt(index: number): Float32Array
  jsonAt(index: number): string
  metadataOf(index: number): Metadata
  /** That many of the queries, those that are most similar to the first one. */
  nearQueries(count: number): readonly number[]
}

const books = 60
const seed = 20_261_122

/** Such as `verses.f32:384`. */
export function vectorFileIn(text: string): VectorFile {
  const [, path, dimensions] = /^(.+):(\d+)$/.exec(text) ?? []
  if (path === undefined || Number(dimensions) === 0) {
    throw new Error(`'${text}' is no file of vectors such as verses.f32:384`)
  }
  return { path, dimensions: Number(dimensions) }
}

/** Half of the file at most is held out as queries, its rows in random order. */
export function readDataSet({ path, dimensions }: VectorFile, queries: number): DataSet {
  const bytes = readFileSync(path)
  const rows = bytes.length / (4 * dimensions)
  if (!Number.isInteger(rows) || rows < 2) {
    throw new Error(`${path} holds no rows of ${dimensions} float32s`)
  }
  const order = shuffled(rows)
  const all = new Float32Array(rows * dimensions)
  for (const [at, row] of order.entries()) {
    for (let element = 0; element < dimensions; element += 1) {
      all[at * dimensions + element] = bytes.readFloatLE(4 * (row * dimensions + element))
    }
  }
  // Neighbours in a file share their book, as verses do: what a filter excludes is what is near.
  const share = (index: number) => (order[index] ?? 0) / rows
  return createDataSet(basename(path), all, dimensions, Math.min(queries, rows >> 1), share)
}

export function generateDataSet(
  { vectors, dimensions }: Pick<DataSet, 'vectors' | 'dimensions'>,
  queries: number,
): DataSet {
  const { vectorAt } = createGenerator(dimensions)
  const all = new Float32Array((vectors + queries) * dimensions)
  for (let index = 0; index < vectors + queries; index += 1) {
    all.set(vectorAt(index), index * dimensions)
  }
  const random = randomNumbers(seed)
  const shares = Array.from({ length: vectors + queries }, random)
  return createDataSet('structured', all, dimensions, queries, (index) => shares[index] ?? 0)
}

function createDataSet(
  source: string,
  all: Float32Array,
  dimensions: number,
  queries: number,
  share: (index: number) => number,
): DataSet {
  const vectors = all.length / dimensions - queries
  const texts: string[] = []
  const vectorAt = (index: number) => all.subarray(index * dimensions, (index + 1) * dimensions)
  const queryIndexes = Array.from({ length: queries }, (_, at) => vectors + at)
  const nearest = (indexes: readonly number[]) => bySimilarity(vectorAt, vectors, indexes)
  const any = shuffled(vectors)
  const near: number[] = []
  for (const [place, index] of nearest([...any.keys()]).entries()) near[index] = place
  return {
    name: `${source}, ${vectors} × ${dimensions}`,
    dimensions,
    vectors,
    queries: queryIndexes,
    vectorAt,
    jsonAt(index) {
      // The texts of a million stored vectors would take gigabytes.
      if (index < vectors) return toJson(vectorAt(index))
      texts[index - vectors] ??= toJson(vectorAt(index))
      return texts[index - vectors] ?? ''
    },
    metadataOf: (index) => ({
      book: `book-${bookAt(share(index))}`,
      any: any[index] ?? 0,
      near: near[index] ?? 0,
    }),
    nearQueries: (count) => nearest(queryIndexes).slice(0, count),
  }
}

function bySimilarity(
  vectorAt: DataSet['vectorAt'],
  pivot: number,
  indexes: readonly number[],
): number[] {
  const cosine = (vector: Float32Array) =>
    dot(vectorAt(pivot), vector) / Math.sqrt(dot(vector, vector))
  const placed = indexes.map((index) => ({ index, similarity: cosine(vectorAt(index)) }))
  return placed.toSorted((a, b) => b.similarity - a.similarity).map(({ index }) => index)
}

/** The first book holds 13 % of the shares from 0 to 1, the last one 0.8 %. */
export const bookAt = (share: number) => Math.min(books - 1, Math.floor(books * share ** 2))

function shuffled(length: number): number[] {
  const random = randomNumbers(seed)
  const order = Array.from({ length }, (_, index) => index)
  for (let at = length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    const moved = order[at] ?? 0
    order[at] = order[other] ?? 0
    order[other] = moved
  }
  return order
}
