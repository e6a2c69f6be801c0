import { and, eq, sql } from 'drizzle-orm'
import type { Instance } from '../access/access.ts'
import type { Project } from '../access/project.ts'
import type { Database, Db } from '../db/database.ts'
import { isProvider } from '../db/endpoints.ts'
import { apiStandards, instanceShares, instances } from '../db/schema.ts'
import { badRequest, forbidden, noSuchInstance, ServiceError } from '../errors.ts'
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
 * Finds providers, with their keys. Both functions throw 400 if there is none; `ofProject` throws 403
 * if the project's owner may not use the instance any more.
 */
export function createFindProvider(
  { short, remembering }: Pick<Database, 'short' | 'remembering'>,
  sealer: Sealer,
) {
  const prepared = prepareLookup(short.db)
  const lookup = remembering((values: { readonly ownerId: number; readonly instanceId: number }) =>
    prepared.execute(values),
  )
  return {
    async ofProject({ owner, handle, ownerId, instance }: Project): Promise<FoundProvider> {
      const instanceId = instance?.instanceId
      const [found] = instanceId === undefined ? [] : await lookup({ ownerId, instanceId })
      if (found === undefined) {
        throw badRequest(
          `Project '${owner}/${handle}' has no LLM service instance to embed texts with`,
        )
      }
      if (!isProvider(found.service.endpoint)) {
        throw badRequest(
          `Project '${owner}/${handle}' has no embedding provider: its LLM service instance has no endpoint; upload vectors, and search by words, text_id or vector`,
        )
      }
      const isLent = found.service.ownerId !== ownerId
      // When a share ends, the project keeps the instance but loses the use of its key.
      if (isLent && found.role === null) {
        throw forbidden(
          `The LLM service instance of project '${owner}/${handle}' is not shared with '${owner}' any more, so its key is not used`,
        )
      }
      return {
        provider: providerOf(sealer, found),
        lentInstanceId: isLent ? instanceId : undefined,
      }
    },

    async ofInstance({ owner, handle, ownerId, instanceId }: Instance): Promise<Provider> {
      const [found] = await lookup({ ownerId, instanceId })
      if (found === undefined) throw noSuchInstance(owner, handle)
      if (!isProvider(found.service.endpoint)) {
        throw badRequest(`LLM service instance '${owner}/${handle}' has no endpoint to test`)
      }
      return providerOf(sealer, found)
    },
  }
}

export interface FoundProvider {
  readonly provider: Provider
  /** The instance, if it belongs to another user than the project. */
  readonly lentInstanceId: number | undefined
}

type Found = Awaited<ReturnType<ReturnType<typeof prepareLookup>['execute']>>[number]

function providerOf(sealer: Sealer, found: Found): Provider {
  const { service, role: _, requestFormat, ...standard } = found
  const { instanceId, endpoint, model, dimensions, keySealed } = service
  const { queryInputType, documentInputType, queryPrefix, documentPrefix } = service
  return {
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
}

function opened(sealer: Sealer, ownerId: number, handle: string, sealed: string): string {
  try {
    return sealer.open(sealed, instanceSecret(ownerId, handle))
  } catch (cause) {
    const detail = `The stored key of LLM service instance '${handle}' does not open; its owner can send it anew with PATCH`
    throw new ServiceError('bad-gateway', detail, { cause })
  }
}
