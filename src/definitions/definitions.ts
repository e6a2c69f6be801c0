import { and, asc, eq } from 'drizzle-orm'
import type { Account } from '../access/caller.ts'
import { requireStandard } from '../api-standards/api-standards.ts'
import type { Database } from '../db/database.ts'
import { definitions } from '../db/schema.ts'
import { conflict, notFound } from '../errors.ts'
import { type LlmService, type LlmServiceChanges, presentLlmService } from './llm-service.ts'

type Row = typeof definitions.$inferSelect

const noSuchDefinition = (owner: string, handle: string) =>
  notFound(`LLM service definition '${owner}/${handle}' not found`)

const presentDefinition = (owner: Account, row: Row) => ({
  definition_id: row.definitionId,
  definition_handle: row.handle,
  owner: owner.handle,
  ...presentLlmService(row),
})

const byHandle = (owner: Account, handle: string) =>
  and(eq(definitions.ownerId, owner.userId), eq(definitions.handle, handle))

/** Reusable templates of instances. They contain no key. */
export function createDefinitions(database: Database) {
  const { db } = database.short

  /** @returns undefined if the handle is taken */
  async function insert(owner: Account, handle: string, service: LlmService) {
    await requireStandard(db, service.apiStandard)
    const [created] = await db
      .insert(definitions)
      .values({ ownerId: owner.userId, handle, ...service })
      .onConflictDoNothing()
      .returning()
    return created && presentDefinition(owner, created)
  }

  async function update(owner: Account, handle: string, changes: LlmServiceChanges) {
    if (changes.apiStandard !== undefined) await requireStandard(db, changes.apiStandard)
    const [updated] = await db
      .update(definitions)
      .set({ handle, ...changes })
      .where(byHandle(owner, handle))
      .returning()
    if (updated === undefined) throw noSuchDefinition(owner.handle, handle)
    return presentDefinition(owner, updated)
  }

  return {
    async list(owner: Account) {
      const rows = await db
        .select()
        .from(definitions)
        .where(eq(definitions.ownerId, owner.userId))
        .orderBy(asc(definitions.handle))
      return rows.map((row) => presentDefinition(owner, row))
    },

    async get(owner: Account, handle: string) {
      const [definition] = await db.select().from(definitions).where(byHandle(owner, handle))
      if (definition === undefined) throw noSuchDefinition(owner.handle, handle)
      return presentDefinition(owner, definition)
    },

    async create(owner: Account, handle: string, service: LlmService) {
      const created = await insert(owner, handle, service)
      if (created !== undefined) return created
      throw conflict(`LLM service definition '${owner.handle}/${handle}' already exists`)
    },

    async put(owner: Account, handle: string, service: LlmService) {
      const created = await insert(owner, handle, service)
      return {
        definition: created ?? (await update(owner, handle, service)),
        created: created !== undefined,
      }
    },

    patch: update,

    /** Instances that were created from it keep their fields. */
    async remove(owner: Account, handle: string): Promise<void> {
      const removed = await database.short.transaction(({ db }) =>
        db
          .delete(definitions)
          .where(byHandle(owner, handle))
          .returning({ id: definitions.definitionId }),
      )
      if (removed.length === 0) throw noSuchDefinition(owner.handle, handle)
    },
  }
}
