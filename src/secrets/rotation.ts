import { and, asc, gt, isNotNull, sql } from 'drizzle-orm'
import type { Db, Transaction } from '../db/database.ts'
import { instances, users } from '../db/schema.ts'
import { StartupError } from '../errors.ts'
import { replaceKeyCheck } from './key-check.ts'
import { instanceSecret, userSecret } from './owners.ts'
import type { Sealer } from './sealing.ts'

interface Rotation {
  readonly oldKey: Sealer
  readonly newKey: Sealer
  /** Called after every thousand rows. */
  progress(message: string): void
}

interface SealedRow {
  readonly id: number
  readonly sealed: string | null
  readonly owner: string
}

const rowsAtOnce = 1_000

/**
 * Seals everything in the database with the new key. The caller's transaction makes it all or
 * nothing.
 * @throws StartupError that names the table and row whose secret does not open
 */
export async function rotate({ db }: Transaction, rotation: Rotation) {
  await replaceKeyCheck(db, rotation.oldKey, rotation.newKey)
  return reseal(db, rotation)
}

/** Does the same for rows that were copied into a database of the new key. */
export async function reseal(db: Db, rotation: Rotation) {
  return {
    users: await resealTable(db, rotation, userTable),
    instances: await resealTable(db, rotation, instanceTable),
  }
}

interface SealedTable {
  readonly name: string
  /** What the operator can do about a secret that does not open. */
  readonly remedy: string
  /** The next rows with a secret, in the order of their ids. */
  page(db: Db, after: number): Promise<SealedRow[]>
  /** Takes `[{id, sealed}]` as JSON. */
  store(db: Db, given: string): Promise<unknown>
}

const userTable: SealedTable = {
  name: 'users',
  remedy: 'rotate-key of that user replaces it',
  async page(db, after) {
    const rows = await db
      .select({ id: users.userId, sealed: users.keySealed, handle: users.handle })
      .from(users)
      .where(and(gt(users.userId, after), isNotNull(users.keySealed)))
      .orderBy(asc(users.userId))
      .limit(rowsAtOnce)
    return rows.map(({ id, sealed, handle }) => ({ id, sealed, owner: userSecret(handle) }))
  },
  store: (db, given) =>
    db.execute(
      sql`update ${users} set key_sealed = given.sealed from ${recordset(given)} where ${users.userId} = given.id`,
    ),
}

const instanceTable: SealedTable = {
  name: 'instances',
  remedy: 'PATCH of that instance with another api_key_encrypted, or null, replaces it',
  async page(db, after) {
    const { instanceId: id, keySealed: sealed, ownerId, handle } = instances
    const rows = await db
      .select({ id, sealed, ownerId, handle })
      .from(instances)
      .where(and(gt(id, after), isNotNull(sealed)))
      .orderBy(asc(id))
      .limit(rowsAtOnce)
    return rows.map((row) => ({ ...row, owner: instanceSecret(row.ownerId, row.handle) }))
  },
  store: (db, given) =>
    db.execute(
      sql`update ${instances} set key_sealed = given.sealed from ${recordset(given)} where ${instances.instanceId} = given.id`,
    ),
}

const recordset = (given: string) =>
  sql`json_to_recordset(${given}::text::json) as given(id bigint, sealed text)`

/** @returns how many rows were sealed anew */
async function resealTable(db: Db, rotation: Rotation, table: SealedTable): Promise<number> {
  const { oldKey, newKey, progress } = rotation
  let count = 0
  for (let after = 0; ; ) {
    const rows = await table.page(db, after)
    const last = rows.at(-1)
    if (last === undefined) return count
    const given = rows.map((row) => ({
      id: row.id,
      sealed: newKey.seal(opened(row, oldKey, table), row.owner),
    }))
    await table.store(db, JSON.stringify(given))
    after = last.id
    count += rows.length
    progress(`re-sealed ${count} rows of ${table.name}`)
  }
}

function opened({ id, sealed, owner }: SealedRow, key: Sealer, { name, remedy }: SealedTable) {
  try {
    return key.open(sealed ?? '', owner)
  } catch {
    throw new StartupError(
      `nothing was changed: the secret in ${name}, id ${id}, does not open with ENCRYPTION_KEY; ${remedy}`,
    )
  }
}
