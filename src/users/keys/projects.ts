import { eq, type SQL, sql } from 'drizzle-orm'
import type { Account } from '../../access/caller.ts'
import type { Db } from '../../db/database.ts'
import { keyProjects, userKeys } from '../../db/key-schema.ts'
import { lockShared } from '../../db/row-locks.ts'
import { projectShares, projects, users } from '../../db/schema.ts'
import { badRequest } from '../../errors.ts'

// Everything here is looked up by its key. The plan of a join would depend on the planner's
// statistics.

const isReadable = (project: SQL, userId: number) =>
  sql<boolean>`(${project}.owner_id = ${userId} or ${project}.public_read or exists (
    select from ${projectShares} where ${projectShares.sharedId} = ${project}.project_id
    and ${projectShares.userId} = ${userId}))`

/**
 * The ids of projects named `<owner>/<handle>`, locked until the transaction ends.
 * @throws 400 if the user may not read one of them, whether or not it exists
 */
export async function findReadable(
  db: Db,
  user: Account,
  names: readonly string[],
): Promise<number[]> {
  const named = [...new Set(names)].map((name) => {
    const [owner = '', handle = ''] = name.split('/')
    return { name, owner, handle }
  })
  const readable = await db
    .select({ name: sql<string>`named.name`, id: sql`project.project_id`.mapWith(Number) })
    .from(
      sql`jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as named (name text, owner text, handle text)
        join lateral (select * from ${projects}
          where ${projects.ownerId} = (select ${users.userId} from ${users} where ${users.handle} = named.owner)
          and ${projects.handle} = named.handle limit 1) as project on true`,
    )
    .where(isReadable(sql`project`, user.userId))
  const missing = named.find(({ name }) => readable.every((project) => project.name !== name))
  if (missing !== undefined) {
    throw badRequest(
      `projects: there is no project '${missing.name}' that '${user.handle}' may read`,
    )
  }
  const ids = readable.map(({ id }) => id).sort((a, b) => a - b)
  await lockShared(db, ...ids.map((id) => ['project', id] as const))
  return ids
}

/**
 * The projects of a user's limited keys, as `<owner>/<handle>`, by key id. Projects that the user
 * may no longer read are left out: the key does not reach them either, and their current names are
 * not the user's to know.
 */
export async function namesOfProjects(db: Db, { userId }: Account): Promise<Map<number, string[]>> {
  const keyIds = db.select({ id: userKeys.keyId }).from(userKeys).where(eq(userKeys.userId, userId))
  const rows = await db
    .select({
      keyId: keyProjects.keyId,
      name: sql<string>`(select ${users.handle} from ${users} where ${users.userId} = project.owner_id)
        || '/' || project.project_handle`,
    })
    .from(keyProjects)
    .innerJoin(
      sql`lateral (select * from ${projects}
        where ${projects.projectId} = ${keyProjects.projectId} limit 1) as project`,
      sql`true`,
    )
    .where(
      sql`${keyProjects.keyId} = any(array(${keyIds})) and ${isReadable(sql`project`, userId)}`,
    )
  const names = new Map<number, string[]>()
  for (const { keyId, name } of rows) names.set(keyId, [...(names.get(keyId) ?? []), name].sort())
  return names
}
