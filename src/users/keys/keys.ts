import { and, asc, eq } from 'drizzle-orm'
import { type Account, systemHandle } from '../../access/caller.ts'
import type { KeyAccess } from '../../access/rules.ts'
import type { Database, Db } from '../../db/database.ts'
import { keyProjects, userKeys } from '../../db/key-schema.ts'
import { badRequest, conflict, forbidden, notFound } from '../../errors.ts'
import { hashKey, newApiKey } from '../../secrets/keys.ts'
import { lockUser } from '../users.ts'
import { findReadable, namesOfProjects } from './projects.ts'
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

type KeyChanges = Pick<KeyInput, 'description' | 'expiresAt'>
/** Rights in a change must equal the stored ones: clients send back what they have read. */
type KeyRights = { readonly [Field in 'access' | 'projects']?: KeyInput[Field] | undefined }

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

  async function get(db: Db, user: Account, handle: string) {
    const [row] = await db.select().from(userKeys).where(byHandle(user, handle))
    if (row === undefined) throw noSuchKey(user, handle)
    return present(row, uses.latest(row), await namesOfProjects(db, user))
  }

  return {
    async list(user: Account) {
      const rows = await db
        .select()
        .from(userKeys)
        .where(eq(userKeys.userId, user.userId))
        .orderBy(asc(userKeys.handle))
      const names = await namesOfProjects(db, user)
      return rows.map((row) => present(row, uses.latest(row), names))
    },

    get: (user: Account, handle: string) => get(db, user, handle),

    async create(user: Account, handle: string, input: KeyInput) {
      if (user.handle === systemHandle) throw forbidden(`'${systemHandle}' cannot have keys`)
      refusePast(input.expiresAt)
      const key = newApiKey()
      const created = await database.short.transaction(async ({ db }) => {
        await lockUser(db, user, 'exclusive')
        await insertKey(db, user, handle, hashKey(key), input)
        return get(db, user, handle)
      })
      return { ...created, api_key: key }
    },

    /** A key's rights never change, so that whoever holds it cannot gain rights later. */
    async patch(user: Account, handle: string, changes: KeyChanges & KeyRights) {
      const { access, projects, description, expiresAt } = changes
      refusePast(expiresAt)
      return database.short.transaction(async ({ db }) => {
        const stored = await get(db, user, handle)
        refuseOther('access', access, stored.access)
        refuseOther('projects', inOrder(projects), inOrder(stored.projects))
        await update(db, user, handle, { description, expiresAt })
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
      const removed = await database.short.transaction(({ db }) =>
        db.delete(userKeys).where(byHandle(user, handle)).returning({ id: userKeys.keyId }),
      )
      if (removed.length === 0) throw noSuchKey(user, handle)
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
async function update(
  db: Db,
  user: Account,
  handle: string,
  values: KeyChanges & { readonly keyHash?: string },
): Promise<void> {
  const updated = await db
    .update(userKeys)
    .set({ handle, ...values })
    .where(byHandle(user, handle))
    .returning({ id: userKeys.keyId })
  if (updated.length === 0) throw noSuchKey(user, handle)
}

const inOrder = (names: readonly string[] | undefined) =>
  names && [...new Set(names)].sort().join(', ')

function refuseOther(field: string, sent: string | undefined, stored: string | undefined): void {
  if (sent === undefined || sent === stored) return
  throw badRequest(`${field}: cannot be changed; create another key and revoke this one`)
}

/**
 * @throws 400 if the user may not read a project, 409 if the handle is taken or the user has too
 * many keys
 */
async function insertKey(
  db: Db,
  user: Account,
  handle: string,
  keyHash: string,
  { access, description, expiresAt, projects }: KeyInput,
): Promise<void> {
  const projectIds = projects && (await findReadable(db, user, projects))
  const { userId } = user
  const isLimited = projectIds !== undefined
  const [created] = await db
    .insert(userKeys)
    .values({ userId, handle, keyHash, access, description, expiresAt, isLimited })
    .onConflictDoNothing()
    .returning()
  if (created === undefined) throw conflict(`Key '${user.handle}/${handle}' already exists`)
  if ((await db.$count(userKeys, eq(userKeys.userId, userId))) > maxKeys) {
    throw conflict(`'${user.handle}' has ${maxKeys} keys, which is the most; revoke one first`)
  }
  if (projectIds === undefined) return
  const { keyId } = created
  await db.insert(keyProjects).values(projectIds.map((projectId) => ({ keyId, projectId })))
}
