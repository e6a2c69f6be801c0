import { eq } from 'drizzle-orm'
import { type Account, type Caller, systemHandle } from '../access/caller.ts'
import type { Project, ProjectWithCollection } from '../access/project.ts'
import type { Database, Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { projectShares, projects } from '../db/schema.ts'
import { forbidden, noSuchProject } from '../errors.ts'
import type { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import { lockUser } from '../users/users.ts'
import { insertProject, type ProjectInput, taken } from './create.ts'
import { listProjects } from './list.ts'
import { listReadable, type Visibility, visibilities } from './list-readable.ts'
import { lockProject } from './lock.ts'
import { presentProject, presentWrittenProject } from './show.ts'
import { transferProject } from './transfer.ts'
import { changeProject, type ProjectChanges, replaceProject } from './update.ts'

/**
 * Projects hold the embeddings of one instance, and belong to one user.
 * @param discarded called when a collection may have been left behind
 */
export function createProjects(
  database: Database,
  schemes: MetadataSchemes,
  discarded: () => void,
) {
  /** Runs `work` in a transaction in which the owner cannot be removed. */
  async function write<T>(
    owner: Account,
    { metadataScheme }: ProjectInput,
    work: (db: Db) => Promise<T>,
  ): Promise<T> {
    if (owner.handle === systemHandle) throw forbidden(`'${systemHandle}' cannot own projects`)
    // Checked before the transaction, so that a slow schema does not hold a connection.
    if (metadataScheme !== null) await schemes.check(owner.userId, metadataScheme)
    return database.short.transaction(async ({ db }) => {
      await lockUser(db, owner, 'shared')
      return work(db)
    })
  }

  return {
    list: (caller: Caller, owner: Account, page: Page, includeShared: boolean) =>
      listProjects(database.short.db, caller, owner, page, includeShared),

    /** Uses the pool whose plans do not depend on statistics, for pages far down a list. */
    listReadable: (caller: Caller, page: Page, reasons: readonly Visibility[] = visibilities) =>
      listReadable(database.search.db, caller, reasons, page),

    get: (project: ProjectWithCollection) => presentProject(project, project.collection),

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
        const replace = () => replaceProject(db, caller, owner, handle, input)
        // Tried first, because an instance that the project already uses needs no share any more.
        const replaced = await replace()
        if (replaced !== undefined) {
          return { project: presentWrittenProject(replaced), created: false }
        }
        const inserted = await insertProject(db, caller, owner, handle, input)
        // Without a row, another request has created it meanwhile.
        const project = inserted ?? (await replace())
        if (project === undefined) throw noSuchProject(owner.handle, handle)
        return { project: presentWrittenProject(project), created: inserted !== undefined }
      }),

    async patch(caller: Caller, project: ProjectWithCollection, changes: ProjectChanges) {
      const { metadataScheme } = changes
      if (metadataScheme != null) await schemes.check(project.ownerId, metadataScheme)
      const changed = await database.short.transaction(({ db }) =>
        changeProject(db, caller, project, changes),
      )
      return presentProject({ ...project, ...changed }, project.collection)
    },

    /** Irreversibly deletes the project. The rows of its collection are deleted later. */
    remove: (project: Project): Promise<void> =>
      database.bulk
        .transaction(async ({ db }) => {
          await lockProject(db, project, 'update')
          // Shares go before what keys reach, as when a user is deleted.
          await db.delete(projectShares).where(eq(projectShares.sharedId, project.projectId))
          await db.delete(projects).where(eq(projects.projectId, project.projectId))
        })
        // Even after a failure: the transaction may be committed and only its answer lost.
        .finally(discarded),

    transfer: (project: Project, newOwner: string): Promise<void> =>
      database.short.transaction(({ db }) => transferProject(db, project, newOwner)),
  }
}
