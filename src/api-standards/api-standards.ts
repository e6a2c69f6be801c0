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

const selectStandard = (db: Db, handle: string) =>
  db.select().from(apiStandards).where(eq(apiStandards.handle, handle))

/** @throws 400 if there is no such standard */
export async function requireStandard(db: Db, handle: string): Promise<void> {
  const [standard] = await selectStandard(db, handle)
  if (standard === undefined) throw unknownStandard(handle)
}

/** @throws 404 if there is no such standard */
async function lockStandard(db: Db, handle: string): Promise<Row> {
  const [standard] = await selectStandard(db, handle).for('update')
  if (standard === undefined) throw noSuchStandard(handle)
  return standard
}

/** API standards: how a key is presented to an embedding provider. */
export function createApiStandards(database: Database) {
  const { db } = database.short

  return {
    async list() {
      const rows = await db.select().from(apiStandards).orderBy(asc(apiStandards.handle))
      return rows.map(presentStandard)
    },

    async get(handle: string) {
      const [standard] = await selectStandard(db, handle)
      if (standard === undefined) throw noSuchStandard(handle)
      return presentStandard(standard)
    },

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

    async patch(
      handle: string,
      changes: { [Field in keyof ApiStandard]?: ApiStandard[Field] | undefined },
    ) {
      return database.short.transaction(async ({ db }) => {
        const stored = await lockStandard(db, handle)
        const {
          description = stored.description,
          keyMethod = stored.keyMethod,
          keyField = stored.keyField,
          requestFormat = stored.requestFormat,
        } = changes
        const standard = { description, keyMethod, keyField, requestFormat }
        checkKeyField(standard)
        await db.update(apiStandards).set(standard).where(eq(apiStandards.handle, handle))
        return presentStandard({ handle, ...standard })
      })
    },

    /** @throws 409 while instances or definitions use it */
    async remove(handle: string): Promise<void> {
      await database.short.transaction(async ({ db }) => {
        await lockStandard(db, handle)
        const inInstances = await db.$count(instances, eq(instances.apiStandard, handle))
        const inDefinitions = await db.$count(definitions, eq(definitions.apiStandard, handle))
        if (inInstances + inDefinitions > 0) {
          const andDefinitions = inDefinitions === 0 ? '' : ` and ${inDefinitions} definitions`
          throw conflict(
            `Cannot delete API standard: referenced by ${inInstances} LLM service instances${andDefinitions}`,
          )
        }
        await db.delete(apiStandards).where(eq(apiStandards.handle, handle))
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
