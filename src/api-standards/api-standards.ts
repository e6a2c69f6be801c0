import { asc, eq, sql } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { apiStandards, definitions, instances } from '../db/schema.ts'
import { badRequest, conflict, notFound, unknownStandard } from '../errors.ts'

type Row = typeof apiStandards.$inferSelect
type ApiStandard = Readonly<Omit<Row, 'handle'>>

const noSuchStandard = (handle: string) => notFound(`API standard '${handle}' not found`)

const presentStandard = ({ handle, description, keyMethod, keyField, requestFormat }: Row) => ({
  api_standard_handle: handle,
  description,
  key_method: keyMethod,
  key_field: keyField,
  ...(requestFormat !== null && { request_format: requestFormat }),
})

/** @throws 400 if there is no such standard */
export async function requireStandard(db: Db, handle: string): Promise<void> {
  const [found] = await db.select().from(apiStandards).where(eq(apiStandards.handle, handle))
  if (found === undefined) throw unknownStandard(handle)
}

/** API standards: how a key is presented to an embedding provider. */
export function createApiStandards(database: Database) {
  const { db } = database.short

  async function find(handle: string): Promise<Row> {
    const [found] = await db.select().from(apiStandards).where(eq(apiStandards.handle, handle))
    if (found === undefined) throw noSuchStandard(handle)
    return found
  }

  return {
    async list() {
      const rows = await db.select().from(apiStandards).orderBy(asc(apiStandards.handle))
      return rows.map(presentStandard)
    },

    get: async (handle: string) => presentStandard(await find(handle)),

    async create(handle: string, standard: ApiStandard) {
      checkKeyField(standard)
      const [created] = await db
        .insert(apiStandards)
        .values({ handle, ...standard })
        .onConflictDoNothing()
        .returning()
      if (created === undefined) throw conflict(`API standard '${handle}' already exists`)
      return presentStandard(created)
    },

    async put(handle: string, standard: ApiStandard) {
      checkKeyField(standard)
      const [stored] = await db
        .insert(apiStandards)
        .values({ handle, ...standard })
        .onConflictDoUpdate({ target: apiStandards.handle, set: standard })
        .returning({ created: sql<boolean>`xmax = 0` })
      return {
        standard: presentStandard({ handle, ...standard }),
        created: stored?.created === true,
      }
    },

    async patch(handle: string, changes: Partial<ApiStandard>) {
      return database.short.transaction(async (tx) => {
        const [stored] = await tx.db
          .select()
          .from(apiStandards)
          .where(eq(apiStandards.handle, handle))
          .for('update')
        if (stored === undefined) throw noSuchStandard(handle)
        const standard = { ...stored, ...changes }
        checkKeyField(standard)
        await tx.db.update(apiStandards).set(standard).where(eq(apiStandards.handle, handle))
        return presentStandard(standard)
      })
    },

    /** @throws 409 while instances or definitions use it */
    async remove(handle: string): Promise<void> {
      await database.short.transaction(async (tx) => {
        const [found] = await tx.db
          .select()
          .from(apiStandards)
          .where(eq(apiStandards.handle, handle))
          .for('update')
        if (found === undefined) throw noSuchStandard(handle)
        const inInstances = await tx.db.$count(instances, eq(instances.apiStandard, handle))
        const inDefinitions = await tx.db.$count(definitions, eq(definitions.apiStandard, handle))
        if (inInstances + inDefinitions > 0) {
          const others = inDefinitions === 0 ? '' : ` and ${inDefinitions} definitions`
          throw conflict(
            `Cannot delete API standard: referenced by ${inInstances} LLM service instances${others}`,
          )
        }
        await tx.db.delete(apiStandards).where(eq(apiStandards.handle, handle))
      })
    },
  }
}

function checkKeyField({ keyMethod, keyField }: ApiStandard): void {
  if ((keyMethod === 'none') === (keyField === '')) return
  throw badRequest(
    keyMethod === 'none'
      ? "key_field: must be empty when key_method is 'none'"
      : `key_field: must name what carries the key when key_method is '${keyMethod}'`,
  )
}
