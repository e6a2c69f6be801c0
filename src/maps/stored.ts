import { eq, lte, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { maps } from '../db/map-schema.ts'

/** What is known about a map without reading its points. */
export interface StoredMap {
  readonly revision: number
  /** In seconds, by the clock of the database, which also set the time of the computation. */
  readonly age: number
  readonly seconds: number
}

export async function findMap(db: Db, collectionId: number): Promise<StoredMap | undefined> {
  const { revision, computedAt, seconds } = maps
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
