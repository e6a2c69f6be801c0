import { asc, type SQL, sql } from 'drizzle-orm'
import { inRange } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { metadataAt } from '../filters/condition.ts'
import { type MapLimits, tooManyForMap } from './limits.ts'
import { KeptPlaces, type readPoints } from './stored.ts'

/** Rows read by one statement. With a field, it also reads their metadata. */
const rowsAtOnce = { withField: 500, without: 2_000 }
/** Longer values are not used as colours, because all different ones of a field are in memory. */
const maxValueBytes = 800

/** Steps per unit of a coordinate. One step is a hundredth of a pixel on the largest screen. */
const stepsPerUnit = 100_000
/** How many elements of a list are printed at once. */
const printedAtOnce = 20_000
/** For all different values of the field together. */
const maxValuesBytes = 8 * 2 ** 20

/** A requested field, as the caller wrote it and as its keys. */
export interface MapField {
  readonly path: string
  readonly keys: readonly string[]
}

interface MapToAnswer {
  readonly db: Db
  readonly collectionId: number
  /** Undefined for a project without texts, which has no map. */
  readonly map: Awaited<ReturnType<typeof readPoints>>
  readonly field: MapField | undefined
  readonly limits: MapLimits
}

/**
 * Prints a map as one object with columns: text_ids as they are read, the other columns after them.
 * It has the texts that exist now, so that deleted ones are never shown.
 * @param named the first members of the object
 */
export async function* mapAnswer(
  { db, collectionId, map, field, limits }: MapToAnswer,
  named: object,
): AsyncGenerator<string> {
  const computed = map && { revision: map.revision, computed_at: map.computedAt.toISOString() }
  yield `${JSON.stringify({ ...named, ...computed }).slice(0, -1)},"text_ids":[`
  const places = new KeptPlaces(map?.points ?? Buffer.alloc(0))
  const x: number[] = []
  const y: number[] = []
  const column = new ValueColumn()
  let missing = 0
  for await (const rows of readTexts(db, collectionId, field?.keys)) {
    let textIds = ''
    for (const { textId, value } of rows) {
      const place = places.placeOf(textId)
      if (place === undefined) {
        missing += 1
        continue
      }
      textIds += `${x.length === 0 ? '' : ','}${JSON.stringify(textId)}`
      x.push(rounded(place.x))
      y.push(rounded(place.y))
      column.add(value)
    }
    if (x.length + missing > limits.texts) throw tooManyForMap(limits)
    yield textIds
  }
  yield '],"x":'
  yield* listOf(x)
  yield ',"y":'
  yield* listOf(y)
  if (field !== undefined) {
    yield `,"field":{"path":${JSON.stringify(field.path)},"values":`
    yield* listOf(column.values)
    yield ',"indexes":'
    yield* listOf(column.indexes)
    yield `,"more_values":${column.hasMore}}`
  }
  const gone = Math.max(0, places.size - x.length)
  yield `,"count":${x.length},"missing_count":${missing},"gone_count":${gone}}`
}

const rounded = (coordinate: number) => Math.round(coordinate * stepsPerUnit) / stepsPerUnit

/** @param elements numbers, or JSON texts */
function* listOf(elements: readonly (number | string)[]): Generator<string> {
  yield '['
  for (let from = 0; from < elements.length; from += printedAtOnce) {
    yield `${from === 0 ? '' : ','}${elements.slice(from, from + printedAtOnce).join()}`
  }
  yield ']'
}

/** The distinct values of a field, and which of them each row has. */
export class ValueColumn {
  /** As JSON texts. */
  readonly values: string[] = []
  /** For each row the index of its value; -1 for none, or if there is no room. */
  readonly indexes: number[] = []
  /** Whether there was no room for some values. */
  hasMore = false
  readonly #indexes = new Map<string, number>()
  #bytes = 0

  /** @param value JSON text */
  add(value: string | null): void {
    this.indexes.push(value === null ? -1 : this.#indexOf(value))
  }

  #indexOf(value: string): number {
    const present = this.#indexes.get(value)
    if (present !== undefined) return present
    if (this.#bytes + value.length > maxValuesBytes) {
      this.hasMore = true
      return -1
    }
    this.#bytes += value.length
    this.#indexes.set(value, this.values.length)
    return this.values.push(value) - 1
  }
}

/** A scalar of the metadata as JSON text; null for anything else, or if it is too long. */
const scalarAt = (path: readonly string[]): SQL<string | null> => {
  const value = metadataAt(path)
  return sql`case when jsonb_typeof(${value}) in ('string', 'number', 'boolean')
    and octet_length((${value})::text) <= ${sql.raw(`${maxValueBytes}`)} then (${value})::text end`
}

/**
 * Reads all texts of a project, in the order of their text_ids.
 * @param keys of the field whose values to read
 */
export async function* readTexts(
  db: Db,
  collectionId: number,
  keys: readonly string[] | undefined,
): AsyncGenerator<{ textId: string; value: string | null }[]> {
  const limit = keys === undefined ? rowsAtOnce.without : rowsAtOnce.withField
  const value = keys === undefined ? sql<null>`null` : scalarAt(keys)
  for (let after: string | undefined; ; ) {
    const rows = await db
      .select({ textId: embeddings.textId, value })
      .from(embeddings)
      .where(inRange(collectionId, { after }))
      .orderBy(asc(embeddings.textId))
      .limit(limit)
    yield rows
    after = rows.at(-1)?.textId
    if (rows.length < limit) return
  }
}
