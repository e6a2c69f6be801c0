import { type SQL, sql } from 'drizzle-orm'
import { Limiter, type Requester } from '../../concurrency/limiter.ts'
import type { Db, Snapshot, TakeSnapshot } from '../database.ts'
import { embeddings } from '../schema.ts'
import { maxSnapshots, snapshotQueue } from '../snapshot-limits.ts'
import type { Engine } from './engine.ts'
import { beginning, keptColumns, prefix } from './snapshot-triggers.ts'

/** The table and the function are temporary: they end with the engine's thread. */
const kept = (name: string) => sql.raw(`pg_temp.${name}`)

export function embeddedSnapshots(
  engine: Engine,
  db: Db,
  currentRequester: () => Requester | undefined,
): TakeSnapshot {
  const limiter = new Limiter({ maxConcurrent: maxSnapshots, ...snapshotQueue })
  let last = 0
  return (find, work) => {
    const requester = currentRequester()
    const whoWaits = () => limiter.whoWaitsFor(requester)
    return limiter.run(async () => {
      last += 1
      const name = `${prefix}${last}`
      const found = await engine.transaction(async (tx) => {
        const found = await find(tx.db)
        for (const statement of beginning(name, found.collectionId)) {
          await tx.db.execute(sql.raw(statement))
        }
        return found
      })
      try {
        return await work({ ...snapshotOf(db, name, found.collectionId), whoWaits }, found)
      } finally {
        await end(engine, name)
      }
    }, requester)
  }
}

/** Runs as the service's own work, because work for a requester that has left would not be done. */
const end = (engine: Engine, name: string) =>
  engine.unasked(() =>
    engine.transaction(async ({ db }) => {
      await db.execute(sql`drop function if exists ${kept(name)}() cascade`)
      await db.execute(sql`drop table if exists ${kept(name)}`)
    }),
  )

function snapshotOf(db: Db, name: string, collectionId: number): Omit<Snapshot, 'whoWaits'> {
  const names = sql.raw(`text_id, ${keptColumns}`)
  const id = sql.raw(`${collectionId}`)
  const table = kept(name)
  return {
    db,
    // Conditions on text_id reach both parts.
    embeddings: sql`(
      select collection_id, ${names} from ${embeddings} as stored where collection_id = ${id}
        and not exists (select from ${table} as kept where kept.text_id = stored.text_id)
      union all select ${id}::bigint, ${names} from ${table} where existed
    ) as ${embeddings}`,
    bound(after, rows) {
      const ofOne = (from: SQL) =>
        sql`(select text_id from ${from} text_id > ${after} order by text_id limit 1 offset ${rows - 1})`
      const stored = ofOne(sql`${embeddings} where collection_id = ${id} and`)
      // If only one of the two exists, `least` takes that one.
      return sql`least(${stored}, ${ofOne(sql`${table} where`)})`
    },
  }
}
