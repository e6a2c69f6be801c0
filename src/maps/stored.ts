import { createHash } from 'node:crypto'
import { eq, lte, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { maps } from '../db/map-schema.ts'

/** What is known about a map without reading its points. */
export type StoredMap = NonNullable<Awaited<ReturnType<typeof findMap>>>

export async function findMap(db: Db, collectionId: number) {
  const { revision, computedAt, seconds } = maps
  // In seconds, by the clock of the database, which also set the time of the computation.
  const age = sql`extract(epoch from clock_timestamp() - ${computedAt})`.mapWith(Number)
  const [found] = await db
    .select({ revision, age, seconds })
    .from(maps)
    .where(eq(maps.collectionId, collectionId))
  return found
}

/** @returns the points in the form that `KeptPlaces` reads; undefined if the map is gone */
export async function readPoints(db: Db, collectionId: number) {
  const { revision, computedAt } = maps
  const [found] = await db
    .select({ revision, computedAt, points: sql<string>`encode(${maps.points}, 'base64')` })
    .from(maps)
    .where(eq(maps.collectionId, collectionId))
  return found && { ...found, points: Buffer.from(found.points, 'base64') }
}

interface ComputedMap {
  readonly collectionId: number
  readonly revision: number
  readonly seconds: number
  readonly points: Buffer
}

/** Stores a map, unless another server has stored a newer one meanwhile. */
export async function keepMap(db: Db, { points, ...map }: ComputedMap): Promise<void> {
  const set = {
    revision: map.revision,
    seconds: map.seconds,
    computedAt: sql`clock_timestamp()`,
    points: sql`decode(${points.toString('base64')}, 'base64')`,
  }
  await db
    .insert(maps)
    .values({ collectionId: map.collectionId, ...set })
    .onConflictDoUpdate({
      target: maps.collectionId,
      set,
      setWhere: lte(maps.revision, map.revision),
    })
}

// The points of a map. For each text, in the order of text_ids, it has eight bytes that stand for the
// text_id, and the place in the plane. So it is small even if text_ids are long, and does not
// reveal which texts were deleted since.
const textBytes = 16

/** Stands for a text_id. With 48 bits, two of 200,000 texts share one in one of 14,000 maps. */
const hashOf = (textId: string): number =>
  createHash('sha1').update(textId).digest().readUIntBE(0, 6)

/** @param places x and y of each text, one after the other */
export function keptPoints(textIds: readonly string[], places: Float32Array): Buffer {
  const bytes = Buffer.alloc(textIds.length * textBytes)
  for (const [row, textId] of textIds.entries()) {
    bytes.writeDoubleLE(hashOf(textId), row * textBytes)
    bytes.writeFloatLE(places[2 * row] ?? 0, row * textBytes + 8)
    bytes.writeFloatLE(places[2 * row + 1] ?? 0, row * textBytes + 12)
  }
  return bytes
}

/** Finds the places of texts. */
export class KeptPlaces {
  readonly #bytes: Buffer
  readonly #rows = new Map<number, number>()

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    for (let at = 0; at < bytes.length; at += textBytes) this.#rows.set(bytes.readDoubleLE(at), at)
  }

  get size(): number {
    return this.#bytes.length / textBytes
  }

  /** @returns undefined if the map does not have the text */
  placeOf(textId: string): { readonly x: number; readonly y: number } | undefined {
    const at = this.#rows.get(hashOf(textId))
    if (at === undefined) return undefined
    return { x: this.#bytes.readFloatLE(at + 8), y: this.#bytes.readFloatLE(at + 12) }
  }
}
