import { eq } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { collections, instances, projects } from '../db/schema.ts'
import { noSuchProject } from '../errors.ts'
import type { Project } from '../projects/project.ts'

/** What is exported of a project beside its embeddings, at the moment of the snapshot. */
export interface ExportedProject {
  readonly collectionId: number
  readonly vectors: number
  /** Of all its vectors; null before the first. */
  readonly dimensions: number | null
  readonly description: string | null
  readonly metadataScheme: string | null
  /** Null once the instance's owner was deleted. */
  readonly instance: ExportedInstance | null
}

export interface ExportedInstance {
  readonly handle: string
  readonly endpoint: string
  readonly apiStandard: string
  readonly model: string
  readonly dimensions: number
}

/** @throws 404 when the project is gone */
export async function findExported(db: Db, project: Project): Promise<ExportedProject> {
  const [found] = await db
    .select({
      collectionId: projects.collectionId,
      vectors: collections.vectors,
      dimensions: collections.dimensions,
      description: projects.description,
      metadataScheme: projects.metadataScheme,
      instance: {
        handle: instances.handle,
        endpoint: instances.endpoint,
        apiStandard: instances.apiStandard,
        model: instances.model,
        dimensions: instances.dimensions,
      },
    })
    .from(projects)
    .innerJoin(collections, eq(collections.collectionId, projects.collectionId))
    .leftJoin(instances, eq(instances.instanceId, projects.instanceId))
    .where(eq(projects.projectId, project.projectId))
  if (found === undefined) throw noSuchProject(project.owner, project.handle)
  return found
}
