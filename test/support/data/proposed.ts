import { and, eq } from 'drizzle-orm'
import { vi } from 'vitest'
import { collections, projects, users } from '../../../src/db/schema.ts'
import { testApp } from '../app.ts'
import type { Project } from '../factories.ts'

async function collectionOf({ owner, handle }: Project) {
  const { database } = await testApp()
  const [found] = await database.short.db
    .select({ collection: collections })
    .from(projects)
    .innerJoin(users, eq(users.userId, projects.ownerId))
    .innerJoin(collections, eq(collections.collectionId, projects.collectionId))
    .where(and(eq(users.handle, owner.handle), eq(projects.handle, handle)))
  return found?.collection
}

/** Where the engine keeps vectors in memory: until it has those of the project. */
export async function untilProposed(project: Project, dimensions = 24): Promise<void> {
  const { database } = await testApp()
  const { proposer } = database
  if (proposer === undefined) return
  await vi.waitUntil(
    async () => {
      const collection = await collectionOf(project)
      if (collection === undefined) return false
      const wanted = { ...collection, dimensions }
      const sought = { vector: new Float32Array(dimensions).fill(1) }
      const statement = { text: 'select $1::text', params: [''], idsAt: 0 }
      const wish = { sought, count: 1, exact: true }
      return (await proposer.rank(wanted, wish, statement)) !== undefined
    },
    { timeout: 20_000 },
  )
}
