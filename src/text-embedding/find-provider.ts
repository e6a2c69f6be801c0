import { and, eq, sql } from 'drizzle-orm'
import type { Project } from '../access/project.ts'
import type { Database, Db } from '../db/database.ts'
import { isProvider } from '../db/endpoints.ts'
import { apiStandards, instanceShares, instances } from '../db/schema.ts'
import { badRequest, forbidden, ServiceError } from '../errors.ts'
import type { Provider } from '../providers/request-formats.ts'
import { instanceSecret } from '../secrets/owners.ts'
import type { Sealer } from '../secrets/sealing.ts'

/** Prepared once, because every search by words needs it. */
const prepareLookup = (db: Db) =>
  db
    .select({
      service: instances,
      keyMethod: apiStandards.keyMethod,
      keyField: apiStandards.keyField,
      requestFormat: apiStandards.requestFormat,
      role: instanceShares.role,
    })
    .from(instances)
    .innerJoin(apiStandards, eq(apiStandards.handle, instances.apiStandard))
    .leftJoin(
      instanceShares,
      and(
        eq(instanceShares.sharedId, instances.instanceId),
        eq(instanceShares.userId, sql.placeholder('ownerId')),
      ),
    )
    .where(eq(instances.instanceId, sql.placeholder('instanceId')))
    .prepare('find_provider')

/**
 * @returns a function that finds the provider of a project's instance, with its key. It throws 400
 * if there is none, and 403 if the project's owner may not use the instance any more
 */
export function createFindProvider(
  { short, remembering }: Pick<Database, 'short' | 'remembering'>,
  sealer: Sealer,
) {
  const prepared = prepareLookup(short.db)
  const lookup = remembering((values: { readonly ownerId: number; readonly instanceId: number }) =>
    prepared.execute(values),
  )
  return async ({ owner, handle, ownerId, instance }: Project): Promise<FoundProvider> => {
    if (instance !== undefined && !isProvider(instance.endpoint)) {
      throw badRequest(
        `Project '${owner}/${handle}' has no embedding provider: its LLM service instance has no endpoint; upload vectors, and search by words, text_id or vector`,
      )
    }
    const instanceId = instance?.instanceId
    const [found] = instanceId === undefined ? [] : await lookup({ ownerId, instanceId })
    return providerOf(sealer, { owner, handle, ownerId }, found)
  }
}

export interface FoundProvider {
  readonly provider: Provider
  /** The instance, if it belongs to another user than the project. */
  readonly lentInstanceId: number | undefined
}

type Found = Awaited<ReturnType<ReturnType<typeof prepareLookup>['execute']>>[number]

function providerOf(
  sealer: Sealer,
  { owner, handle, ownerId }: Pick<Project, 'owner' | 'handle' | 'ownerId'>,
  found: Found | undefined,
): FoundProvider {
  if (found === undefined) {
    throw badRequest(`Project '${owner}/${handle}' has no LLM service instance to embed texts with`)
  }
  const { service, role, requestFormat, ...standard } = found
  // When a share ends, the project keeps the instance but loses the use of its key.
  if (service.ownerId !== ownerId && role === null) {
    throw forbidden(
      `The LLM service instance of project '${owner}/${handle}' is not shared with '${owner}' any more, so its key is not used`,
    )
  }
  const { instanceId, endpoint, model, dimensions, keySealed } = service
  const { queryInputType, documentInputType, queryPrefix, documentPrefix } = service
  const provider = {
    instanceId,
    endpoint,
    model,
    dimensions,
    queryInputType,
    documentInputType,
    queryPrefix,
    documentPrefix,
    ...standard,
    requestFormat: requestFormat ?? 'openai',
    key:
      keySealed === null ? undefined : opened(sealer, service.ownerId, service.handle, keySealed),
  }
  return { provider, lentInstanceId: service.ownerId === ownerId ? undefined : instanceId }
}

function opened(sealer: Sealer, ownerId: number, handle: string, sealed: string): string {
  try {
    return sealer.open(sealed, instanceSecret(ownerId, handle))
  } catch (cause) {
    const detail = `The stored key of LLM service instance '${handle}' does not open; its owner can send it anew with PATCH`
    throw new ServiceError('bad-gateway', detail, { cause })
  }
}
