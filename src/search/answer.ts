import { asc, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { boundedRows, rowColumns, rowsOf } from '../embeddings/bounded-rows.ts'
import {
  type Parts,
  projectedColumns,
  type ResultParts,
  type StoredRow,
} from '../embeddings/projection.ts'
import { type JsonText, jsonInParts } from '../json/json-text.ts'
import { vectorToBase64 } from '../vectors/encoding.ts'
import type { Shown } from './options.ts'
import type { Result } from './ranking.ts'
import type { FoundRanking } from './search.ts'
import type { FoundText } from './words/thread.ts'

/** A part of an answer: text, or results with commas between them. */
export type Section = string | { readonly results: readonly Result[]; readonly shown: Shown }

/** The beginning of an object that has a list behind its fields. */
export function beforeList(fields: object, name: string): string {
  const before = JSON.stringify(fields).slice(0, -1)
  return `${before}${before === '{' ? '' : ','}"${name}":[`
}

/** A result that is printed, and what is shown of it. */
export interface ShownResult {
  readonly result: Result
  readonly shown: Shown
}

/** The stored parts of a result, as text; null if there is none or it was not asked for. */
interface StoredParts extends Pick<StoredRow, 'text' | 'metadata' | 'vector'> {
  /** Index into the list of results, from 0. */
  readonly place: number
  /** JSON text. */
  readonly highlights?: string | undefined
}

/** Finds the words of searches in texts. */
type FindHighlights = (texts: readonly FoundText[]) => Promise<readonly unknown[]>

/** The stored parts of some results, in the order of the list. */
export interface PartsOfSome {
  readonly rows: readonly StoredParts[]
  readonly isLast: boolean
}

/** Ids whose rows did not fit are sent again, so a longer list would be looked up many times. */
const maxIds = 1_000

/**
 * Reads the stored parts of results in one statement, or in several if they are too large for one.
 * Embeddings deleted since the search are left out. The same result may occur several times.
 * @param maxBytes of what is read at once, about
 */
export async function* readParts(
  db: Db,
  collectionId: number,
  wanted: readonly ShownResult[],
  findHighlights: FindHighlights,
  maxBytes?: number,
): AsyncGenerator<PartsOfSome> {
  const ids = wanted.map(({ result: { id } }) => id)
  const showing = { parts: partsOfAny(wanted), vectorFormat: 'json' } as const
  for (let begin = 0; ; ) {
    const some = ids.slice(begin, begin + maxIds)
    // Each row has the number of wanted embeddings that exist.
    const rows = await db
      .select({
        place: sql`place - 1`.mapWith(Number),
        there: rowColumns.there,
        ...projectedColumns(showing),
      })
      .from(boundedRows(rowsOf(collectionId, some), showing, maxBytes))
      .orderBy(asc(sql`place`))
    const last = rows.at(-1)
    const hasAll = last === undefined || last.there <= rows.length
    const next = begin + (hasAll ? some.length : last.place + 1)
    const isLast = next >= ids.length
    const placed = rows.map(({ there: _, ...row }) => ({ ...row, place: begin + row.place }))
    yield { rows: await withHighlights(placed, wanted, findHighlights), isLast }
    if (isLast) return
    begin = next
  }
}

async function withHighlights(
  rows: readonly StoredParts[],
  wanted: readonly ShownResult[],
  find: FindHighlights,
): Promise<readonly StoredParts[]> {
  const found = rows.flatMap(({ place, text }) => {
    const { parts, words = '' } = wanted[place]?.shown ?? {}
    return parts?.highlights === true && text !== null ? [{ place, text, words }] : []
  })
  if (found.length === 0) return rows
  const highlights = await find(found.map(({ text, words }) => ({ text, words })))
  const byPlace = new Map(found.map(({ place }, at) => [place, JSON.stringify(highlights[at])]))
  return rows.map((row) => ({ ...row, highlights: byPlace.get(row.place) }))
}

/**
 * Writes results as JSON with their stored parts, in chunks if these are read in chunks.
 * @param read reads the stored parts of results
 */
export async function printResults<Shape>(
  sections: readonly Section[],
  read: (wanted: readonly ShownResult[]) => AsyncIterable<PartsOfSome>,
): Promise<JsonText<Shape>> {
  const printed = [...printedIn(sections)]
  const results = printed.filter((each) => typeof each !== 'string')
  const { text, metadata, vector } = partsOfAny(results)
  const none = [{ rows: [], isLast: true }]
  return jsonInParts(printedParts(printed, text || metadata || vector ? read(results) : none))
}

/** What is printed, in its order: texts, and results without their closing brackets. */
type Printed = string | ShownResult

function* printedIn(sections: readonly Section[]): Generator<Printed> {
  for (const section of sections) {
    if (typeof section === 'string') yield section
    else yield* printedList(section.results, section.shown)
  }
}

function* printedList(results: readonly Result[], shown: Shown): Generator<Printed> {
  const parts = { ...shown.parts, text: true, vector: false, highlights: false }
  const shownAround = { ...shown, parts }
  const listOf = (ids: readonly string[]) =>
    printedList(
      ids.map((id) => ({ id })),
      shownAround,
    )
  for (const [at, result] of results.entries()) {
    if (at > 0) yield ','
    yield { result, shown }
    if (result.around !== undefined) {
      yield ',"around":{"before":['
      yield* listOf(result.around.before)
      yield '],"after":['
      yield* listOf(result.around.after)
      yield ']}'
    }
    yield '}'
  }
}

/** The parts that are read for at least one result. */
function partsOfAny(wanted: readonly ShownResult[]): Parts {
  const has = (name: keyof ResultParts) => wanted.some(({ shown }) => shown.parts[name])
  const text = has('text') || has('highlights')
  return { text, metadata: has('metadata'), vector: has('vector') }
}

async function* printedParts(
  printed: readonly Printed[],
  groups: AsyncIterable<PartsOfSome> | Iterable<PartsOfSome>,
) {
  let at = 0
  let place = 0
  for await (const { rows, isLast } of groups) {
    const stored = new Map(rows.map((row) => [row.place, row]))
    const next = isLast ? Number.POSITIVE_INFINITY : (rows.at(-1)?.place ?? 0) + 1
    let text = ''
    for (; at < printed.length && place < next; at += 1) {
      const each = printed[at] ?? ''
      text += typeof each === 'string' ? each : printResult(each, stored.get(place))
      if (typeof each !== 'string') place += 1
    }
    yield { text, isLast }
  }
}

/** Without the closing bracket. */
function printResult({ result, shown }: ShownResult, stored: StoredParts | undefined): string {
  const { id, project, similarity, percentile, score, vectorRank, wordsRank, group } = result
  const { parts, vectorFormat, projects } = shown
  let printed = `{"id":${JSON.stringify(id)}`
  if (project !== undefined) printed += `,"project":${JSON.stringify(projects?.[project])}`
  const ranking = { similarity, percentile, score, vector_rank: vectorRank, words_rank: wordsRank }
  for (const [name, value] of Object.entries(ranking)) {
    if (value !== undefined) printed += `,"${name}":${value}`
  }
  if (group !== undefined) printed += `,"group":${group}`
  if (stored !== undefined) {
    const { text, highlights, metadata, vector } = stored
    if (parts.text && text !== null) printed += `,"text":${JSON.stringify(text)}`
    if (highlights !== undefined) printed += `,"highlights":${highlights}`
    if (parts.metadata && metadata !== null) printed += `,"metadata":${metadata}`
    if (parts.vector && vector !== null) {
      printed += `,"vector":${vectorFormat === 'json' ? vector : base64Of(vector)}`
    }
  }
  return printed
}

/** @param vector a JSON array of float32 elements */
const base64Of = (vector: string) => {
  const elements: number[] = JSON.parse(vector)
  return JSON.stringify(vectorToBase64(Float32Array.from(elements)))
}

const notInMemoryBecause = {
  reading:
    'The vectors of this project are being read into memory; until then, each search compares them in the database, which takes longer',
  room: 'The vectors of this project are not in memory, which is full (SERVICE_VECTORMEMORY); each search compares them in the database, which takes longer',
}

/** The header X-Search-Note, in ASCII, as headers require. */
export function noteOf({ missingField, lowRecall, notInMemory }: FoundRanking): string | undefined {
  const notes = [
    missingField,
    notInMemory && notInMemoryBecause[notInMemory],
    lowRecall &&
      'The search index may miss more of the true results than was asked for; exact=true finds all',
  ].filter((note) => note !== undefined && note !== false)
  return notes.length === 0 ? undefined : notes.join('; ')
}
