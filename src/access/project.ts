import { and, eq, getTableColumns } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { historyOf } from '../db/history.ts'
import type { IndexKind } from '../db/pgvector.ts'
import { collections, instances, projects, users } from '../db/schema.ts'

type Row = typeof projects.$inferSelect

export interface ProjectInstance {
  readonly instanceId: number
  /** Handle of the instance's owner. */
  readonly owner: string
  readonly handle: string
  readonly model: string
  readonly dimensions: number
  /** Never shown to readers of the project. */
  readonly endpoint: string
}

/** A project with the handles of its owner and of its instance. */
export interface Project extends Readonly<Row> {
  /** Handle of the owner. */
  readonly owner: string
  /** Undefined after the owner of the instance was deleted. */
  readonly instance: ProjectInstance | undefined
}

/** Where a project's embeddings are stored, as it is at the moment of a request. */
export interface Collection {
  readonly collectionId: number
  readonly vectors: number
  /** The time of the last upload; null before the first one. */
  readonly addedAt: Date | null
  /** Counts the changes of its embeddings. */
  readonly revision: number
  /** In another history, the same revision stands for other embeddings. */
  readonly history: string
  /** The dimensions of all its vectors; null before the first one. */
  readonly dimensions: number | null
  /** The kind of the index that searches use, for vectors of these dimensions; null if they use none. */
  readonly index: IndexKind | null
}

/** What tells one state of a collection from others. */
export type CollectionRevision = Pick<Collection, 'collectionId' | 'history' | 'revision'>

/**
 * Names a state, for what is remembered of it: another name after each change of the embeddings or
 * metadata, and after a failover.
 * @param serverHistory of `Database.history`
 */
export const stateKey = (
  serverHistory: number,
  { collectionId, history, revision }: CollectionRevision,
) => `${serverHistory} ${history} ${collectionId} ${revision}`

export interface ProjectWithCollection extends Project {
  readonly collection: Collection
}

/**
 * Selects the row of a project, unless the project was given to another user since it was found. In
 * that case the path no longer names it.
 */
export const isStill = ({ projectId, ownerId }: Project) =>
  and(eq(projects.projectId, projectId), eq(projects.ownerId, ownerId))

export const owners = alias(users, 'owners')
export const instanceOwners = alias(users, 'instance_owners')

/** The columns of a project for `projectOf`, except its owner's handle. */
export const projectColumns = {
  project: getTableColumns(projects),
  instance: {
    instanceId: instances.instanceId,
    handle: instances.handle,
    model: instances.model,
    dimensions: instances.dimensions,
    endpoint: instances.endpoint,
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

/** The columns of a collection for `collectionOf`. */
export const collectionColumns = {
  vectors: collections.vectors,
  addedAt: collections.addedAt,
  revision: collections.revision,
  history: historyOf(collections),
  dimensions: collections.dimensions,
  index: collections.searchIndex,
}

/** @param selected null if the collection is gone by now */
export function collectionOf(
  collectionId: number,
  selected: Omit<Collection, 'collectionId'> | null,
): Collection {
  const none = {
    vectors: 0,
    addedAt: null,
    revision: 0,
    history: '',
    dimensions: null,
    index: null,
  }
  return { collectionId, ...(selected ?? none) }
}
