import { and, eq, getTableColumns } from 'drizzle-orm'
import { type Account, type Caller, systemHandle } from '../access/caller.ts'
import { requireStandard } from '../api-standards/api-standards.ts'
import type { Db } from '../db/database.ts'
import { definitions, users } from '../db/schema.ts'
import type { LlmServiceChanges } from '../definitions/llm-service.ts'
import { badRequest, forbidden } from '../errors.ts'
import type { Reference } from './use-in-project.ts'

/**
 * The columns of a new or replaced instance. Fields override those of the definition.
 * @throws 400 if required fields are missing or a handle is unknown, 403 for the definition of
 * another user
 */
export async function completeService(
  db: Db,
  caller: Caller,
  owner: Account,
  fields: LlmServiceChanges,
  reference: Reference | undefined,
) {
  const definition = reference && (await usableDefinition(db, caller, owner, reference))
  const { endpoint = definition?.endpoint, apiStandard = definition?.apiStandard } = fields
  const { model = definition?.model, dimensions = definition?.dimensions } = fields
  if (
    endpoint === undefined ||
    apiStandard === undefined ||
    model === undefined ||
    dimensions === undefined
  ) {
    throw badRequest(
      'An LLM service instance needs endpoint, api_standard, model and dimensions, or definition_owner and definition_handle',
    )
  }
  await requireStandard(db, apiStandard)
  const {
    description = null,
    queryInputType = definition?.queryInputType ?? null,
    documentInputType = definition?.documentInputType ?? null,
    queryPrefix = definition?.queryPrefix ?? null,
    documentPrefix = definition?.documentPrefix ?? null,
  } = fields
  return {
    endpoint,
    description,
    apiStandard,
    model,
    dimensions,
    queryInputType,
    documentInputType,
    queryPrefix,
    documentPrefix,
    definitionId: definition?.definitionId ?? null,
  }
}

/** Users may use their own definitions and those of `_system`. The administrator may use all. */
async function usableDefinition(
  db: Db,
  caller: Caller,
  user: Account,
  { owner, handle }: Reference,
) {
  if (caller.kind !== 'admin' && owner !== user.handle && owner !== systemHandle) {
    throw forbidden(`The definitions of '${owner}' are not yours to use`)
  }
  const [definition] = await db
    .select(getTableColumns(definitions))
    .from(definitions)
    .innerJoin(users, eq(users.userId, definitions.ownerId))
    .where(and(eq(users.handle, owner), eq(definitions.handle, handle)))
  if (definition === undefined) {
    throw badRequest(`definition_handle: there is no LLM service definition '${owner}/${handle}'`)
  }
  return definition
}
