import { and, asc, eq } from 'drizzle-orm'
import type { Account } from '../access/caller.ts'
import { requireStandard } from '../api-standards/api-standards.ts'
import type { Database, Db } from '../db/database.ts'
import { definitions } from '../db/schema.ts'
import { conflict, notFound } from '../errors.ts'

type Row = typeof definitions.$inferSelect
/** How a model is told whether a text is a query or a stored text. */
export type InputHints = Readonly<
  Pick<Row, 'queryInputType' | 'documentInputType' | 'queryPrefix' | 'documentPrefix'>
>
/** An embedding endpoint and the vectors it returns. */
export type LlmService = Readonly<
  Pick<Row, 'endpoint' | 'description' | 'apiStandard' | 'model' | 'dimensions'> & InputHints
>

export type LlmServiceChanges = {
  readonly [Field in keyof LlmService]?: LlmService[Field] | undefined
}

const noSuchDefinition = (owner: string, handle: string) =>
  notFound(`LLM service definition '${owner}/${handle}' not found`)

/** The fields that are set, as the API shows them. */
export const presentInputHints = (hints: InputHints) => ({
  ...(hints.queryInputType !== null && { query_input_type: hints.queryInputType }),
  ...(hints.documentInputType !== null && { document_input_type: hints.documentInputType }),
  ...(hints.queryPrefix !== null && { query_prefix: hints.queryPrefix }),
  ...(hints.documentPrefix !== null && { document_prefix: hints.documentPrefix }),
})

const presentDefinition = (owner: Account, row: Row) => ({
  definition_id: row.definitionId,
  definition_handle: row.handle,
  owner: owner.handle,
  endpoint: row.endpoint,
  ...(row.description !== null && { description: row.description }),
  api_standard: row.apiStandard,
  model: row.model,
  dimensions: row.dimensions,
  ...presentInputHints(row),
})

const byHandle = (owner: Account, handle: string) =>
  and(eq(definitions.ownerId, owner.userId), eq(definitions.handle, handle))

export async function findDefinition(db: Db, owner: Account, handle: string) {
  const [found] = await db.select().from(definitions).where(byHandle(owner, handle))
  return found
}

/** Reusable templates of instances. They contain no key. */
export function createDefinitions(database: Database) {
  const { db } = database.short

  async function insert(db: Db, owner: Account, handle: string, service: LlmService) {
    await requireStandard(db, service.apiStandard)
    const [created] = await db
      .insert(definitions)
      .values({ ownerId: owner.userId, handle, ...service })
      .onConflictDoNothing()
      .returning()
    return created && presentDefinition(owner, created)
  }

  async function update(db: Db, owner: Account, handle: string, changes: LlmServiceChanges) {
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
      const found = await findDefinition(db, owner, handle)
      if (found === undefined) throw noSuchDefinition(owner.handle, handle)
      return presentDefinition(owner, found)
    },

    async create(owner: Account, handle: string, service: LlmService) {
      const created = await insert(db, owner, handle, service)
      if (created !== undefined) return created
      throw conflict(`LLM service definition '${owner.handle}/${handle}' already exists`)
    },

    async put(owner: Account, handle: string, service: LlmService) {
      const created = await insert(db, owner, handle, service)
      return created === undefined
        ? { definition: await update(db, owner, handle, service), created: false }
        : { definition: created, created: true }
    },

    patch: (owner: Account, handle: string, changes: LlmServiceChanges) =>
      update(db, owner, handle, changes),

    /** Instances that were created from it keep their fields. */
    async remove(owner: Account, handle: string): Promise<void> {
      const gone = await database.short.transaction((tx) =>
        tx.db
          .delete(definitions)
          .where(byHandle(owner, handle))
          .returning({ id: definitions.ownerId }),
      )
      if (gone.length === 0) throw noSuchDefinition(owner.handle, handle)
    },
  }
}
