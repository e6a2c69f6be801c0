import { eq, sql } from 'drizzle-orm'
import { type Account, type Caller, namedKeyOf, systemHandle } from '../access/caller.ts'
import type { Project, ProjectWithCollection } from '../access/project.ts'
import type { Database, Db, Pool } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { sharedLock } from '../db/row-locks.ts'
import { projectShares, users } from '../db/schema.ts'
import { forbidden, noSuchUser } from '../errors.ts'
import type { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import { listProjects } from './listing.ts'
import { presentProject, presentWrittenProject } from './present.ts'
import { type ProjectContents, removeProject } from './removal.ts'
import { listVisible, type Visibility, visibilities } from './visible.ts'
import {
  changeProject,
  insertProject,
  type ProjectChanges,
  type ProjectInput,
  putProject,
  taken,
} from './writing.ts'

/** Keeps the user from being removed until the transaction ends. */
export async function holdUser(db: Db, { userId, handle }: Account): Promise<void> {
  const [user] = await db
    .select({ userId: users.userId })
    .from(users)
    .innerJoin(sharedLock('user', users.userId), sql`true`)
    .where(eq(users.userId, userId))
    .for('key share', { of: users })
  if (user === undefined) throw noSuchUser(handle)
}

/**
 * Projects hold the embeddings of one instance, and belong to one user.
 * @param discarded called when a collection may have been left behind
 */
export const createProjects = (
  database: Database,
  schemes: MetadataSchemes,
  discarded: () => void,
) => ({
  ...createReads(database),
  ...createWrites(database.short, schemes),

  /**
   * Irreversibly deletes the project. The rows of its collection are deleted later.
   * @returns what was deleted with it
   */
  async remove(project: Project): Promise<ProjectContents> {
    const removed = database.bulk.transaction(({ db }) => removeProject(db, project))
    // Even after a failure: the transaction may be committed and only its answer lost.
    return removed.finally(discarded)
  },
})

/** @param search a pool whose plans do not depend on statistics, for pages far down a list */
const createReads = ({ short: { db }, search }: Database) => ({
  list: (caller: Caller, owner: Account, page: Page, includeShared: boolean) =>
    listProjects(db, caller, owner, page, includeShared),

  get: (project: ProjectWithCollection) => presentProject(project, project.collection.vectors),

  /** Describes the caller's key, and lists own and shared projects. */
  async describeCaller(caller: Caller, page: Page) {
    const listed = await listVisible(search.db, caller, ['own', 'shared'], page)
    const handle = caller.kind === 'user' && { user_handle: caller.handle }
    return { ...handle, is_admin: caller.kind === 'admin', ...presentKey(caller), ...listed }
  },

  /** Lists readable projects in the order of their creation. */
  listVisible: (caller: Caller, visibility: Visibility | undefined, page: Page) =>
    listVisible(search.db, caller, visibility === undefined ? visibilities : [visibility], page),

  /** Counts what `remove` would delete. */
  countContents: async (project: ProjectWithCollection): Promise<ProjectContents> => ({
    embeddings: project.collection.vectors,
    shares: await db.$count(projectShares, eq(projectShares.sharedId, project.projectId)),
  }),
})

function createWrites(pool: Pool, schemes: MetadataSchemes) {
  async function write<T>(
    owner: Account,
    { metadataScheme }: ProjectInput,
    work: (db: Db) => Promise<T>,
  ): Promise<T> {
    if (owner.handle === systemHandle) throw forbidden(`'${systemHandle}' cannot own projects`)
    // Checked before the transaction, so that a slow schema does not hold a connection.
    if (metadataScheme !== null) await schemes.check(owner.userId, metadataScheme)
    return pool.transaction(async ({ db }) => {
      await holdUser(db, owner)
      return work(db)
    })
  }

  return {
    create: (caller: Caller, owner: Account, handle: string, input: ProjectInput) =>
      write(owner, input, async (db) => {
        const created = await insertProject(db, caller, owner, handle, input)
        // Thrown inside the transaction, so that the new collection is rolled back.
        if (created === undefined) throw taken(owner.handle, handle)
        return presentWrittenProject(created)
      }),

    /** Replaces the project's own fields, or creates it. Shares and embeddings stay. */
    put: (caller: Caller, owner: Account, handle: string, input: ProjectInput) =>
      write(owner, input, async (db) => {
        const { project, created } = await putProject(db, caller, owner, handle, input)
        return { project: presentWrittenProject(project), created }
      }),

    async patch(caller: Caller, project: ProjectWithCollection, changes: ProjectChanges) {
      const { metadataScheme } = changes
      if (metadataScheme != null) await schemes.check(project.ownerId, metadataScheme)
      const updated = await pool.transaction(({ db }) =>
        changeProject(db, caller, project, changes),
      )
      return presentProject({ ...project, ...updated }, project.collection.vectors)
    },
  }
}

/** Describes the caller's key if it is a named one. */
function presentKey(caller: Caller) {
  const key = namedKeyOf(caller)
  if (key === undefined) return {}
  const { handle: key_handle, access, isLimited: is_limited, expiresAt } = key
  const end = expiresAt !== null && { expires_at: expiresAt.toISOString() }
  return { key: { key_handle, access, is_limited, ...end } }
}
