import { asc, eq, getTableColumns, ne, sql } from 'drizzle-orm'
import { type Account, systemHandle } from '../access/caller.ts'
import type { Database, Db } from '../db/database.ts'
import { exclusiveLock, sharedLock } from '../db/row-locks.ts'
import { users } from '../db/schema.ts'
import { badRequest, conflict, forbidden, noSuchUser } from '../errors.ts'
import { requireCurrentKey } from '../secrets/key-check.ts'
import { hashKey, newApiKey } from '../secrets/keys.ts'
import { userSecret } from '../secrets/owners.ts'
import type { Sealer } from '../secrets/sealing.ts'
import { deleteUser } from './delete.ts'

interface Profile {
  readonly name?: string | null | undefined
  readonly email?: string | null | undefined
}

type Row = typeof users.$inferSelect

const presentUser = ({ handle, name, email }: Pick<Row, 'handle' | 'name' | 'email'>) => ({
  user_handle: handle,
  ...(name !== null && { name }),
  ...(email !== null && { email }),
})

/** The account with a handle. @throws 404 if there is none */
export async function findUser(db: Db, handle: string): Promise<Account> {
  const [account] = await db
    .select({ userId: users.userId, handle: users.handle })
    .from(users)
    .where(eq(users.handle, handle))
  if (account === undefined) throw noSuchUser(handle)
  return account
}

const locks = { shared: sharedLock, exclusive: exclusiveLock }

/**
 * Keeps the user from being removed until the transaction ends.
 * @param mode `exclusive` also keeps out others who call this
 */
export async function lockUser(
  db: Db,
  { userId, handle }: Account,
  mode: keyof typeof locks,
): Promise<void> {
  const [user] = await db
    .select({ userId: users.userId })
    .from(users)
    .innerJoin(locks[mode]('user', users.userId), sql`true`)
    .where(eq(users.userId, userId))
    .for('key share', { of: users })
  if (user === undefined) throw noSuchUser(handle)
}

/**
 * User accounts. Each has an API key, stored only as a hash and a sealed copy.
 * @param discarded called when collections may have been left behind
 */
export function createUsers(database: Database, sealer: Sealer, discarded: () => void) {
  const { db } = database.short
  // Prepared once: building this query takes longer than everything else needed to show a user.
  const byHandle = db
    .select()
    .from(users)
    .where(eq(users.handle, sql.placeholder('handle')))
    .prepare('show_user')

  async function keyColumns(db: Db, handle: string, key: string) {
    await requireCurrentKey(db, sealer)
    return { keyHash: hashKey(key), keySealed: sealer.seal(key, userSecret(handle)) }
  }

  return {
    async list(): Promise<string[]> {
      const rows = await db
        .select({ handle: users.handle })
        .from(users)
        .where(ne(users.handle, systemHandle))
        .orderBy(asc(users.handle))
      return rows.map(({ handle }) => handle)
    },

    async get(handle: string) {
      const [user] = await byHandle.execute({ handle })
      if (user === undefined) throw noSuchUser(handle)
      return presentUser(user)
    },

    async create(handle: string, { name, email }: Profile) {
      const key = newApiKey()
      const created = await database.short.transaction(async ({ db }) => {
        const values = { handle, name, email, ...(await keyColumns(db, handle, key)) }
        return db.insert(users).values(values).onConflictDoNothing().returning()
      })
      if (created[0] === undefined) throw conflict(`User '${handle}' already exists`)
      return { ...presentUser(created[0]), api_key: key }
    },

    /** Creates the user, or replaces name and email. An existing user keeps the key. */
    async put(handle: string, { name = null, email = null }: Profile) {
      refuseSystem(handle)
      if (handle.startsWith('_')) throw badRequest('user_handle: must not begin with _')
      const [stored] = await database.short.transaction(async ({ db }) =>
        db
          .insert(users)
          .values({ handle, name, email, ...(await keyColumns(db, handle, newApiKey())) })
          .onConflictDoUpdate({ target: users.handle, set: { name, email } })
          .returning({ ...getTableColumns(users), created: sql<boolean>`xmax = 0` }),
      )
      if (stored === undefined) throw noSuchUser(handle)
      const key = sealer.open(stored.keySealed ?? '', userSecret(handle))
      return { user: { ...presentUser(stored), api_key: key }, created: stored.created }
    },

    async patch(handle: string, { name, email }: Profile) {
      refuseSystem(handle)
      // In a transaction, which is retried if it deadlocks with the removal of the user.
      return database.short.transaction(({ db }) => update(db, handle, { name, email }))
    },

    /** Issues a new key. The old one stops working at once. */
    async rotateKey(handle: string) {
      refuseSystem(handle)
      const key = newApiKey()
      const user = await database.short.transaction(async ({ db }) =>
        update(db, handle, await keyColumns(db, handle, key)),
      )
      return { ...user, api_key: key }
    },

    /** The embeddings of the user's projects are deleted later. */
    async remove(handle: string): Promise<void> {
      refuseSystem(handle)
      return (
        database.bulk
          .transaction(({ db }) => deleteUser(db, handle))
          // Even after a failure: the transaction may be committed and only its answer lost.
          .finally(discarded)
      )
    },
  }
}

/** @throws 404 if there is no such user */
async function update(db: Db, handle: string, values: Partial<typeof users.$inferInsert>) {
  const [updated] = await db
    .update(users)
    // A PATCH without fields changes nothing but still returns the user.
    .set({ handle: sql`${users.handle}`, ...values })
    .where(eq(users.handle, handle))
    .returning()
  if (updated === undefined) throw noSuchUser(handle)
  return presentUser(updated)
}

function refuseSystem(handle: string): void {
  if (handle === systemHandle) throw forbidden(`The user '${systemHandle}' cannot be changed`)
}
