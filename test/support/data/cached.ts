import { and, eq, getTableColumns } from 'drizzle-orm'
import { historyOf } from '../../../src/db/history.ts'
import { collections, projects, users } from '../../../src/db/schema.ts'
import { testApp } from '../app.ts'
import type { Project } from '../factories.ts'
import { waitUntil } from '../wait.ts'

async function collectionOf({ owner, handle }: Project) {
  const { database } = await testApp()
  const [found] = await database.short.db
    .select({ ...getTableColumns(collections), history: historyOf(collections) })
    .from(projects)
    .innerJoin(users, eq(users.userId, projects.ownerId))
    .innerJoin(collections, eq(collections.collectionId, projects.collectionId))
    .where(and(eq(users.handle, owner.handle), eq(projects.handle, handle)))
  return found
}

/** Where vectors are cached: until those of the project are. */
export async function untilCached(project: Project, dimensions = 24): Promise<void> {
  const { vectorCache } = await testApp()
  if (!vectorCache.isOn) return
  const query = { vector: new Float32Array(dimensions).fill(1) }
  await waitUntil(async () => {
    const collection = await collectionOf(project)
    if (collection === undefined) return false
    const request = { query, count: 1, exact: true, withoutSelf: false }
    return (await vectorCache.nearest({ ...collection, dimensions }, request)) !== undefined
  })
}
