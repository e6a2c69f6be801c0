import { eq, lte, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { maps } from '../db/map-schema.ts'

/** What is known of a map before its points are read. */
export interface StoredMap {
  readonly revision: number
  /** In seconds, by the clock of the database that also says when it was computed. */
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

/** @returns the points as `KeptPlaces` takes them; undefined when they are gone */
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

/** Another server may have put a newer one there meanwhile: that stays. */
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
