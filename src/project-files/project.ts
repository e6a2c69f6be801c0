import { and, eq } from 'drizzle-orm'
import { relationsOf } from '../access/access.ts'
import { type Caller, scopeOf } from '../access/caller.ts'
import { isStill, type Project } from '../access/project.ts'
import { decide } from '../access/rules.ts'
import type { Db } from '../db/database.ts'
import { collections, instanceShares, instances, projects } from '../db/schema.ts'
import { noSuchProject } from '../errors.ts'
import type { Role } from '../sharing/sharing.ts'

/** A project's data, except its embeddings, at the moment of the snapshot. */
export type ExportedProject = Awaited<ReturnType<typeof findExported>>

/**
 * Callers who may not read the instance see what the project shows of it, without its `service`. If
 * the instance's owner was deleted, it is null.
 * @throws 404 if the project was deleted or has a new owner
 */
export async function findExported(db: Db, caller: Caller, project: Project) {
  const [row] = await db
    .select({
      collectionId: projects.collectionId,
      vectors: collections.vectors,
      dimensions: collections.dimensions,
      description: projects.description,
      metadataScheme: projects.metadataScheme,
      readingOrder: projects.readingOrder,
      instance: {
        handle: instances.handle,
        endpoint: instances.endpoint,
        apiStandard: instances.apiStandard,
        model: instances.model,
        dimensions: instances.dimensions,
        ownerId: instances.ownerId,
      },
      role: instanceShares.role,
    })
    .from(projects)
    .innerJoin(collections, eq(collections.collectionId, projects.collectionId))
    .leftJoin(instances, eq(instances.instanceId, projects.instanceId))
    .leftJoin(
      instanceShares,
      and(
        eq(instanceShares.sharedId, instances.instanceId),
        eq(instanceShares.userId, caller.kind === 'user' ? caller.userId : -1),
      ),
    )
    .where(isStill(project))
  if (row === undefined) throw noSuchProject(project.owner, project.handle)
  const { instance, role, ...exported } = row
  if (instance === null) return { ...exported, instance }
  const { ownerId, endpoint, apiStandard, ...shown } = instance
  const service = mayRead(caller, ownerId, role) ? { endpoint, apiStandard } : undefined
  return { ...exported, instance: { ...shown, service } }
}

function mayRead(caller: Caller, ownerId: number, role: Role | null): boolean {
  const owner = { userId: ownerId, handle: '' }
  const relations = relationsOf(caller, owner, { role, isMember: null })
  const authenticated = caller.kind !== 'anonymous'
  const standing = { scope: scopeOf(caller), authenticated, relations, exists: true }
  return decide('instance:read', standing) === 'allowed'
}
