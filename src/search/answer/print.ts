import type { Parts, Projection } from '../../embeddings/projection.ts'
import type { JsonText } from '../../json/json-text.ts'
import { vectorToBase64 } from '../../vectors/encoding.ts'
import type { Result } from '../ranking.ts'
import type { ResultParts } from './parts.ts'

interface Piece {
  /** The text between the previous result and this one. */
  readonly before: string
  readonly result: Result
  readonly shown: Projection
}

/** Results and the text around them. */
export interface Pieces {
  readonly results: readonly Piece[]
  readonly after: string
}

/** A list of results between two texts. */
export function listed(
  before: string,
  results: readonly Result[],
  after: string,
  shown: Projection,
): Pieces {
  if (results.length === 0) return { results: [], after: before + after }
  const pieces = results.map((result, place) => ({
    before: place === 0 ? before : ',',
    result,
    shown,
  }))
  return { results: pieces, after }
}

/** Concatenates lists of results. */
export function joined(all: readonly Pieces[]): Pieces {
  const results: Piece[] = []
  let between = ''
  for (const pieces of all) {
    for (const piece of pieces.results) {
      results.push({ ...piece, before: between + piece.before })
      between = ''
    }
    between += pieces.after
  }
  return { results, after: between }
}

/** The parts that at least one result is shown with; undefined if there are none. */
function partsOfAny({ results }: Pieces): Parts | undefined {
  const has = (name: keyof Parts) => results.some(({ shown }) => shown.parts[name])
  const parts = { text: has('text'), metadata: has('metadata'), vector: has('vector') }
  return parts.text || parts.metadata || parts.vector ? parts : undefined
}

type Found = AsyncGenerator<{ readonly rows: readonly ResultParts[]; readonly isLast: boolean }>

/**
 * Writes results as JSON with their stored parts, in chunks if these are read in chunks.
 * @param find reads the stored parts of results, by their places
 */
export async function printResults<Shape>(
  pieces: Pieces,
  find: (results: readonly Result[], parts: Parts) => Found,
): Promise<JsonText<Shape>> {
  const parts = partsOfAny(pieces)
  if (parts === undefined) return { text: printed(pieces.results, new Map()) + pieces.after }
  const found = find(
    pieces.results.map(({ result }) => result),
    parts,
  )
  const texts = textsOf(pieces, found)
  const first = await texts.next()
  const { text = '', isLast = true } = first.value ?? {}
  return isLast ? { text } : { text, rest: restOf(texts) }
}

async function* textsOf(
  { results, after }: Pieces,
  found: Found,
): AsyncGenerator<{ text: string; isLast: boolean }, undefined> {
  let begin = 0
  for await (const { rows, isLast } of found) {
    const end = isLast ? results.length : (rows.at(-1)?.place ?? 0) + 1
    const text = printed(
      results.slice(begin, end),
      new Map(rows.map((row) => [row.place - begin, row])),
    )
    begin = end
    yield { text: isLast ? text + after : text, isLast }
  }
}

async function* restOf(texts: AsyncGenerator<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of texts) yield text
}

function printed(results: readonly Piece[], found: ReadonlyMap<number, ResultParts>): string {
  let text = ''
  for (const [place, { before, result, shown }] of results.entries()) {
    text += before + printResult(result, found.get(place), shown)
  }
  return text
}

function printResult(
  { id, similarity, group }: Result,
  found: ResultParts | undefined,
  { parts, vectorFormat }: Projection,
): string {
  let printed = `{"id":${JSON.stringify(id)},"similarity":${similarity}`
  if (group !== undefined) printed += `,"group":${group}`
  if (found !== undefined) {
    const { text, metadata, vector } = found
    if (parts.text && text !== null) printed += `,"text":${JSON.stringify(text)}`
    if (parts.metadata && metadata !== null) printed += `,"metadata":${metadata}`
    if (parts.vector && vector !== null) {
      printed += `,"vector":${vectorFormat === 'json' ? vector : base64Of(vector)}`
    }
  }
  return `${printed}}`
}

/** @param vector a JSON array of float32 elements */
const base64Of = (vector: string) => {
  const elements: number[] = JSON.parse(vector)
  return JSON.stringify(vectorToBase64(Float32Array.from(elements)))
}
