import { asc, count, getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type Caller, isUser, limitingKeyOf } from '../access/caller.ts'
import { projectOf } from '../access/project.ts'
import type { Db } from '../db/database.ts'
import { keyProjects } from '../db/key-schema.ts'
import type { Page } from '../db/page.ts'
import { collections, instances, projectShares, projects, users } from '../db/schema.ts'
import { presentProject } from './show.ts'

/**
 * The reasons why a caller may read a project: it is the caller's own, shared with the caller, or
 * public.
 */
export const visibilities = ['own', 'shared', 'public'] as const
export type Visibility = (typeof visibilities)[number]

/** No user has this id. */
const nobody = 0

/** Counting stops here, so that the cost of a page stays bounded. */
const maxCounted = 10_000

/**
 * Lists a page of the projects that the caller may read for one of these reasons, in the order of
 * their creation. Each reason has an index in this order, so neither other projects nor other pages
 * are read.
 */
export async function listReadable(
  db: Db,
  caller: Caller,
  reasons: readonly Visibility[],
  page: Page,
) {
  const isAll = caller.kind === 'admin' && reasons.length === visibilities.length
  const sources = isAll ? [everyProject] : reasons.flatMap((reason) => sourcesOf(reason, caller))
  if (sources.length === 0) return { projects: [], total_count: 0, ...page }
  const [ids, total] = await Promise.all([
    idsOnPage(db, sources, page),
    countUpTo(db, sources, maxCounted + 1),
  ])
  return {
    projects: await readProjects(db, ids, caller),
    ...(total <= maxCounted && { total_count: total }),
    ...page,
  }
}

/** Builds the query for the ids of the first projects, in the order of their creation. */
type Source = (most: number) => SQL

const everyProject: Source = (most) =>
  sql`select ${projects.projectId} from ${projects} order by ${projects.projectId} limit ${most}`

/** The condition is a literal to match the partial index. */
const publicProjects: Source = (most) =>
  sql`select ${projects.projectId} from ${projects} where ${projects.publicRead}
    order by ${projects.projectId} limit ${most}`

/** @returns an empty list if the caller cannot have such projects */
function sourcesOf(reason: Visibility, caller: Caller): Source[] {
  const keyId = limitingKeyOf(caller)
  if (keyId !== undefined && caller.kind === 'user') {
    return [projectsOfKey(keyId, reason, caller.userId)]
  }
  if (reason === 'public') return [publicProjects]
  if (caller.kind !== 'user') return []
  return [reason === 'own' ? ownProjects(caller.userId) : sharedProjects(caller.userId)]
}

// `between` an id and itself keeps the planner on the right index. With `=`, it could drop the
// owner from the sort order and walk all projects in the order of their ids, if it believes that
// the owner has many.

const ownProjects =
  (userId: number): Source =>
  (most) =>
    sql`select ${projects.projectId} from ${projects}
      where ${projects.ownerId} between ${userId} and ${userId}
      order by ${projects.ownerId}, ${projects.projectId} limit ${most}`

const sharedProjects =
  (userId: number): Source =>
  (most) =>
    sql`select ${projectShares.sharedId} from ${projectShares}
      where ${projectShares.userId} between ${userId} and ${userId}
      order by ${projectShares.userId}, ${projectShares.sharedId} limit ${most}`

/** Reads the few projects of a limited key and looks each up by its id. */
function projectsOfKey(keyId: number, reason: Visibility, userId: number): Source {
  const project = (field: SQLWrapper) =>
    sql`(select ${field} from ${projects} where ${projects.projectId} = ${keyProjects.projectId})`
  const conditions: Record<Visibility, SQL> = {
    own: sql`${project(projects.ownerId)} = ${userId}`,
    shared: sql`(select true from ${projectShares}
      where ${projectShares.sharedId} = ${keyProjects.projectId} and ${projectShares.userId} = ${userId})`,
    public: project(projects.publicRead),
  }
  return (most) =>
    sql`select ${keyProjects.projectId} from ${keyProjects}
      where ${keyProjects.keyId} = ${keyId} and ${conditions[reason]}
      order by ${keyProjects.projectId} limit ${most}`
}

/** `union` removes duplicates: a project may be both the caller's own and public. */
const firstOf = (sources: readonly Source[], most: number) =>
  sql`(${sql.join(
    sources.map((source) => sql`(${source(most)})`),
    sql` union `,
  )}) as found (id)`

async function idsOnPage(db: Db, sources: readonly Source[], { limit, offset }: Page) {
  const rows = await db
    .select({ id: sql`id`.mapWith(Number) })
    .from(firstOf(sources, offset + limit))
    .orderBy(sql`id`)
    .limit(limit)
    .offset(offset)
  return rows.map(({ id }) => id)
}

async function countUpTo(db: Db, sources: readonly Source[], most: number): Promise<number> {
  const [counted] = await db.select({ total: count() }).from(firstOf(sources, most))
  return Math.min(most, counted?.total ?? 0)
}

/** Looks everything up by its key. The plan of a join would depend on the planner's statistics. */
async function readRows(db: Db, ids: readonly number[], callerId: number) {
  // Has the name of the table, so that its columns can be selected as those of the table.
  const listed = db
    .select()
    .from(projects)
    .where(sql`${projects.projectId} = page.id::bigint`)
    .limit(1)
    .as('projects')
  const instance = (field: SQLWrapper) =>
    sql`(select ${field} from ${instances} where ${instances.instanceId} = ${projects.instanceId})`
  const collection = (field: SQLWrapper) =>
    sql`(select ${field} from ${collections} where ${collections.collectionId} = ${projects.collectionId})`
  const user = (id: SQLWrapper) =>
    sql<string>`(select ${users.handle} from ${users} where ${users.userId} = ${id})`
  return db
    .select({
      project: getTableColumns(projects),
      owner: user(projects.ownerId),
      instance: {
        instanceId: sql`${projects.instanceId}`.mapWith(Number),
        handle: sql<string>`${instance(instances.handle)}`,
        model: sql<string>`${instance(instances.model)}`,
        dimensions: instance(instances.dimensions).mapWith(Number),
        endpoint: sql<string>`${instance(instances.endpoint)}`,
      },
      instanceOwner: sql<string | null>`${user(instance(instances.ownerId))}`,
      vectors: collection(collections.vectors).mapWith(Number),
      addedAt: collection(collections.addedAt).mapWith(collections.addedAt),
      role: sql<'editor' | 'reader' | null>`(select ${projectShares.role} from ${projectShares}
        where ${projectShares.sharedId} = ${projects.projectId} and ${projectShares.userId} = ${callerId})`,
    })
    .from(sql`jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) as page (id)`)
    .innerJoinLateral(listed, sql`true`)
    .orderBy(asc(projects.projectId))
}

async function readProjects(db: Db, ids: readonly number[], caller: Caller) {
  if (ids.length === 0) return []
  const rows = await readRows(db, ids, caller.kind === 'user' ? caller.userId : nobody)
  return rows.map(({ vectors, addedAt, role: shareRole, ...row }) => {
    const role = isUser(caller, row.project.ownerId) ? ('owner' as const) : shareRole
    return {
      ...presentProject(projectOf(row), { vectors, addedAt }),
      ...(role !== null && { role }),
    }
  })
}
