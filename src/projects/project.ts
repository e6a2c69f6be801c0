import { and, eq, getTableColumns } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { instances, projects, users } from '../db/schema.ts'
import type { SearchIndex } from '../search-indexes/policy.ts'
import { fromComment } from '../search-indexes/recall-curve.ts'

type Row = typeof projects.$inferSelect

export interface ProjectInstance {
  readonly instanceId: number
  /** Handle of the instance's owner. */
  readonly owner: string
  readonly handle: string
  readonly model: string
  readonly dimensions: number
}

/** A project with what it is called after. */
export interface Project extends Readonly<Row> {
  /** Handle of the owner. */
  readonly owner: string
  /** Undefined once the owner of the instance was deleted. */
  readonly instance: ProjectInstance | undefined
}

/** Where the embeddings of a project are filed, as it is at the moment of a request. */
export interface Collection {
  readonly collectionId: number
  readonly vectors: number
  /** Counts the changes of its embeddings. */
  readonly revision: number
  /** Of all its vectors; null before the first. */
  readonly dimensions: number | null
  /** The index that searches use. */
  readonly index: SearchIndex | undefined
}

export interface ProjectWithCollection extends Project {
  readonly collection: Collection
}

/** The row of a project, unless it was given to another user since it was found: the path names it no more then. */
export const isStill = ({ projectId, ownerId }: Project) =>
  and(eq(projects.projectId, projectId), eq(projects.ownerId, ownerId))

export const owners = alias(users, 'owners')
export const instanceOwners = alias(users, 'instance_owners')

/** What is selected of a project besides its owner's handle, for `projectOf`. */
export const projectColumns = {
  project: getTableColumns(projects),
  instance: {
    instanceId: instances.instanceId,
    handle: instances.handle,
    model: instances.model,
    dimensions: instances.dimensions,
  },
  instanceOwner: instanceOwners.handle,
}

interface SelectedProject {
  readonly project: Row
  readonly owner: string
  readonly instance: Omit<ProjectInstance, 'owner'> | null
  readonly instanceOwner: string | null
}

export function projectOf({ project, owner, instance, instanceOwner }: SelectedProject): Project {
  const isThere = instance !== null && instanceOwner !== null
  return {
    ...project,
    owner,
    instance: isThere ? { ...instance, owner: instanceOwner } : undefined,
  }
}

interface SelectedCollection extends Omit<Collection, 'collectionId' | 'index'> {
  readonly indexKind: SearchIndex['kind'] | null
  readonly indexRecall: string | null
}

/** @param selected null for a collection that is gone by now */
export function collectionOf(
  collectionId: number,
  selected: SelectedCollection | null,
): Collection {
  const { vectors, revision, dimensions, indexKind, indexRecall } = selected ?? {
    vectors: 0,
    revision: 0,
    dimensions: null,
    indexKind: null,
    indexRecall: null,
  }
  const isIndexed = indexKind !== null && dimensions !== null
  const index = isIndexed
    ? { collectionId, vectors, dimensions, kind: indexKind, recall: fromComment(indexRecall) }
    : undefined
  return { collectionId, vectors, revision, dimensions, index }
}

/** A project as the API shows it when it is written; without an instance its fields are absent. */
export function presentWrittenProject(project: Project) {
  const { description, instance, metadataScheme } = project
  return {
    project_id: project.projectId,
    project_handle: project.handle,
    owner: project.owner,
    ...(description !== null && { description }),
    ...(instance !== undefined && {
      instance_owner: instance.owner,
      instance_handle: instance.handle,
      instance_id: instance.instanceId,
    }),
    public_read: project.publicRead,
    ...(metadataScheme !== null && { metadataScheme }),
  }
}

/** A project as the API shows it when it is read: never the endpoint and the key of its instance. */
export const presentProject = (project: Project, vectors: number) => ({
  ...presentWrittenProject(project),
  ...(project.instance !== undefined && {
    model: project.instance.model,
    dimensions: project.instance.dimensions,
  }),
  embedding_count: vectors,
  created_at: project.createdAt.toISOString(),
})
