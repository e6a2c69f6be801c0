import type { Account, Caller } from '../access/caller.ts'
import type { Project } from '../access/project.ts'
import { createCollection } from '../collections/collections.ts'
import type { Db } from '../db/database.ts'
import { projectShares, projects } from '../db/schema.ts'
import { conflict } from '../errors.ts'
import { type Reference, usableInstance } from '../instances/use-in-project.ts'
import { findSharee, putShare, type Role } from '../sharing/sharing.ts'
import { refuseSpending } from './spending.ts'

export interface ProjectInput {
  readonly description: string | null
  readonly publicRead: boolean
  readonly metadataScheme: string | null
  readonly readingOrder: Project['readingOrder']
  readonly textQueries: Project['textQueries']
  readonly textQueryBudget: Project['textQueryBudget']
  readonly instance: Reference
  /** Used only when the project is created. */
  readonly shares: readonly { readonly handle: string; readonly role: Role }[]
}

export const taken = (owner: string, handle: string) =>
  conflict(`Project '${owner}/${handle}' already exists`)

/** @returns undefined if the handle is taken */
export async function insertProject(
  db: Db,
  caller: Caller,
  owner: Account,
  handle: string,
  { instance: reference, shares, ...columns }: ProjectInput,
): Promise<Project | undefined> {
  refuseSpending(caller, { textQueries: 'off', textQueryBudget: null }, columns)
  const instance = await usableInstance(db, caller, owner, reference)
  const { instanceId } = instance
  const collectionId = await createCollection(db)
  const [project] = await db
    .insert(projects)
    .values({ ownerId: owner.userId, handle, instanceId, collectionId, ...columns })
    .onConflictDoNothing()
    .returning()
  if (project === undefined) return undefined
  for (const { handle: sharee, role } of shares) {
    const { userId } = await findSharee(db, sharee, owner.userId)
    await putShare(db, projectShares, project.projectId, userId, role)
  }
  return { ...project, owner: owner.handle, instance }
}
