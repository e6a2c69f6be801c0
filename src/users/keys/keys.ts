import { and, asc, eq, sql } from 'drizzle-orm'
import { type Account, systemHandle } from '../../access/caller.ts'
import type { KeyAccess } from '../../access/rules.ts'
import type { Database, Db } from '../../db/database.ts'
import { keyProjects, userKeys } from '../../db/key-schema.ts'
import { exclusiveLock } from '../../db/row-locks.ts'
import { users } from '../../db/schema.ts'
import { badRequest, conflict, forbidden, noSuchUser, notFound } from '../../errors.ts'
import { hashKey, newApiKey } from '../../secrets/keys.ts'
import { findReadable, namesOfReached } from './reach.ts'
import type { KeyUses } from './uses.ts'

/** Per user. */
export const maxKeys = 100

interface KeyInput {
  readonly description?: string | null | undefined
  readonly access: KeyAccess
  /** `<owner>/<handle>` each; undefined for all projects that the user may use. */
  readonly projects?: readonly string[] | undefined
  readonly expiresAt?: Date | null | undefined
}

/**
 * Access and projects cannot be changed. If a change contains them, they have to equal the stored
 * ones.
 */
type KeyChanges = { readonly [Field in keyof KeyInput]?: KeyInput[Field] | undefined }

type Row = typeof userKeys.$inferSelect

const noSuchKey = (user: Account, handle: string) =>
  notFound(`Key '${user.handle}/${handle}' not found`)

const byHandle = ({ userId }: Account, handle: string) =>
  and(eq(userKeys.userId, userId), eq(userKeys.handle, handle))

function refusePast(expiresAt: Date | null | undefined): void {
  if (expiresAt == null || expiresAt.getTime() > Date.now()) return
  throw badRequest(`expires_at: must lie ahead; it is ${new Date().toISOString()} now`)
}

/**
 * The named keys of users, in addition to their first key. Only hashes are stored, so a key is
 * shown once, when it is issued.
 */
export function createUserKeys(database: Database, uses: KeyUses) {
  const { db } = database.short

  const lastUse = (row: Row) => uses.latest(row)

  async function get(db: Db, user: Account, handle: string) {
    const [row] = await db.select().from(userKeys).where(byHandle(user, handle))
    if (row === undefined) throw noSuchKey(user, handle)
    return present(row, lastUse(row), row.isLimited ? await namesOfReached(db, user) : new Map())
  }

  return {
    async list(user: Account) {
      const rows = await db
        .select()
        .from(userKeys)
        .where(eq(userKeys.userId, user.userId))
        .orderBy(asc(userKeys.handle))
      const names = await namesOfReached(db, user)
      return rows.map((row) => present(row, lastUse(row), names))
    },

    get: (user: Account, handle: string) => get(db, user, handle),

    async create(user: Account, handle: string, input: KeyInput) {
      if (user.handle === systemHandle) throw forbidden(`'${systemHandle}' cannot have keys`)
      refusePast(input.expiresAt)
      const key = newApiKey()
      const created = await database.short.transaction(async ({ db }) => {
        await holdForKeys(db, user)
        await insertKey(db, user, { handle, keyHash: hashKey(key), input })
        return get(db, user, handle)
      })
      return { ...created, api_key: key }
    },

    async patch(user: Account, handle: string, changes: KeyChanges) {
      const { access, projects, description, expiresAt } = changes
      refusePast(expiresAt)
      return database.short.transaction(async ({ db }) => {
        const known = await get(db, user, handle)
        refuseOther('access', access, known.access)
        refuseOther('projects', inOrder(projects), inOrder(known.projects))
        await update(db, user, handle, defined({ description, expiresAt }))
        return get(db, user, handle)
      })
    },

    /** Replaces the key by a new one. The old one stops working at once. */
    async rotate(user: Account, handle: string) {
      const key = newApiKey()
      const rotated = await database.short.transaction(async ({ db }) => {
        await update(db, user, handle, { keyHash: hashKey(key) })
        return get(db, user, handle)
      })
      return { ...rotated, api_key: key }
    },

    /** The key stops working at once. */
    async remove(user: Account, handle: string): Promise<void> {
      const gone = await database.short.transaction(({ db }) =>
        db.delete(userKeys).where(byHandle(user, handle)).returning({ id: userKeys.keyId }),
      )
      if (gone.length === 0) throw noSuchKey(user, handle)
    },
  }
}

/** @param names of the projects of limited keys */
function present(row: Row, lastUsedAt: Date | null, names: ReadonlyMap<number, readonly string[]>) {
  const { description, expiresAt } = row
  return {
    key_handle: row.handle,
    ...(description !== null && { description }),
    access: row.access,
    ...(row.isLimited && { projects: [...(names.get(row.keyId) ?? [])] }),
    ...(expiresAt !== null && { expires_at: expiresAt.toISOString() }),
    created_at: row.createdAt.toISOString(),
    ...(lastUsedAt !== null && { last_used_at: lastUsedAt.toISOString() }),
  }
}

/** @throws 404 if there is no such key */
async function update(db: Db, user: Account, handle: string, values: Partial<Row>): Promise<void> {
  const updated = await db
    .update(userKeys)
    .set({ handle, ...values })
    .where(byHandle(user, handle))
    .returning({ id: userKeys.keyId })
  if (updated.length === 0) throw noSuchKey(user, handle)
}

const inOrder = (names: readonly string[] | undefined) =>
  names === undefined ? undefined : [...new Set(names)].sort().join(', ')

/** The fields to change; null clears a field. */
function defined({ description, expiresAt }: KeyChanges): Partial<Row> {
  return {
    ...(description !== undefined && { description }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/** A key's rights never change, so that whoever holds it cannot gain rights later. */
function refuseOther(field: string, given: string | undefined, known: string | undefined): void {
  if (given === undefined || given === known) return
  throw badRequest(`${field}: cannot be changed; create another key and revoke this one`)
}

/**
 * Keeps the user from being removed, and other requests from adding keys, until the transaction
 * ends.
 */
async function holdForKeys(db: Db, { userId, handle }: Account): Promise<void> {
  const [user] = await db
    .select({ userId: users.userId })
    .from(users)
    .innerJoin(exclusiveLock('user', users.userId), sql`true`)
    .where(eq(users.userId, userId))
    .for('key share', { of: users })
  if (user === undefined) throw noSuchUser(handle)
}

interface NewKey {
  readonly handle: string
  readonly keyHash: string
  readonly input: KeyInput
}

/**
 * @throws 400 if the user may not read a project, 409 if the handle is taken or the user has too
 * many keys
 */
async function insertKey(db: Db, user: Account, { handle, keyHash, input }: NewKey): Promise<void> {
  const { access, description, expiresAt, projects } = input
  const reached = projects && (await findReadable(db, user, projects))
  const { userId } = user
  const isLimited = reached !== undefined
  const [created] = await db
    .insert(userKeys)
    .values({ userId, handle, keyHash, access, description, expiresAt, isLimited })
    .onConflictDoNothing()
    .returning()
  if (created === undefined) throw conflict(`Key '${user.handle}/${handle}' already exists`)
  if ((await db.$count(userKeys, eq(userKeys.userId, userId))) > maxKeys) {
    throw conflict(`'${user.handle}' has ${maxKeys} keys, which is the most; revoke one first`)
  }
  if (reached === undefined) return
  const { keyId } = created
  await db.insert(keyProjects).values(reached.map((projectId) => ({ keyId, projectId })))
}
