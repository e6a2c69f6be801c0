import { asc, type SQL, sql } from 'drizzle-orm'
import { inRange } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { metadataAt } from '../filters/condition.ts'
import { type MapLimits, tooManyForMap } from './limits.ts'
import { KeptPlaces } from './stored.ts'

/** Rows read by one statement. With fields, it also reads their metadata. */
const rowsAtOnce = { withFields: 500, without: 2_000 }
/** Longer values are not used as colours, because all different ones of a field are in memory. */
const maxValueBytes = 800

/** A text on the map. */
export interface MapRow {
  readonly textId: string
  readonly x: number
  readonly y: number
  /**
   * For each field its value as JSON text if it is a string, a number or a boolean; otherwise null.
   */
  readonly values: readonly (string | null)[]
}

/** What a map's output begins with. */
export interface MapHead {
  /** Null for a project without texts, which has no map. */
  readonly revision: number | null
  readonly computedAt: Date | null
}

/**
 * How many texts are on the map, how many are missing because they came later, and how many of the
 * map's texts are gone.
 */
export interface MapCounts {
  readonly count: number
  readonly missing: number
  readonly gone: number
}

type Part = string | Uint8Array<ArrayBuffer>

/** Writes a map in one of the formats. */
export interface MapWriter {
  begin(head: MapHead): Iterable<Part>
  add(rows: readonly MapRow[]): Iterable<Part>
  end(counts: MapCounts): Iterable<Part>
}

interface MapToWrite {
  readonly db: Db
  readonly collectionId: number
  readonly map:
    | { readonly revision: number; readonly computedAt: Date; readonly points: Buffer }
    | undefined
  readonly fields: readonly (readonly string[])[]
  readonly limits: MapLimits
}

/**
 * Small enough for each part to be taken within the grace, at the least speed and while others
 * wait.
 */
const pieceBytes = 256 * 1024

/** Writes the texts that exist now with their places, so that deleted ones are never shown. */
export async function writeMap(
  { db, collectionId, map, fields, limits }: MapToWrite,
  writer: MapWriter,
  put: (part: Uint8Array<ArrayBuffer>) => Promise<void>,
): Promise<void> {
  const putAll = async (parts: Iterable<Part>) => {
    for (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        await put(bytes.subarray(at, at + pieceBytes))
      }
    }
  }
  const points = new KeptPlaces(map?.points ?? Buffer.alloc(0))
  let count = 0
  let missing = 0
  await putAll(
    writer.begin({ revision: map?.revision ?? null, computedAt: map?.computedAt ?? null }),
  )
  for await (const rows of readTexts(db, collectionId, fields)) {
    const shown = rows.flatMap(({ textId, values }) => {
      const place = points.placeOf(textId)
      return place === undefined ? [] : [{ textId, ...place, values }]
    })
    count += shown.length
    missing += rows.length - shown.length
    if (count + missing > limits.texts) throw tooManyForMap(limits)
    await putAll(writer.add(shown))
  }
  await putAll(writer.end({ count, missing, gone: Math.max(0, points.size - count) }))
}

/** A scalar of the metadata as JSON text; null for anything else, or if it is too long. */
const scalarAt = (path: readonly string[]): SQL<string | null> => {
  const value = metadataAt(path)
  return sql`case when jsonb_typeof(${value}) in ('string', 'number', 'boolean')
    and octet_length((${value})::text) <= ${sql.raw(`${maxValueBytes}`)} then (${value})::text end`
}

/** Reads all texts of a project, in the order of their text_ids. */
export async function* readTexts(
  db: Db,
  collectionId: number,
  fields: readonly (readonly string[])[],
): AsyncGenerator<{ textId: string; values: (string | null)[] }[]> {
  const limit = fields.length > 0 ? rowsAtOnce.withFields : rowsAtOnce.without
  const [first, second, third] = fields
  const nothing = sql<null>`null`
  for (let after: string | undefined; ; ) {
    const rows = await db
      .select({
        textId: embeddings.textId,
        first: first ? scalarAt(first) : nothing,
        second: second ? scalarAt(second) : nothing,
        third: third ? scalarAt(third) : nothing,
      })
      .from(embeddings)
      .where(inRange(collectionId, { after }))
      .orderBy(asc(embeddings.textId))
      .limit(limit)
    yield rows.map((row) => ({
      textId: row.textId,
      values: [row.first, row.second, row.third].slice(0, fields.length),
    }))
    after = rows.at(-1)?.textId
    if (rows.length < limit) return
  }
}
