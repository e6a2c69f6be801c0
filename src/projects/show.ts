import { type Caller, type NamedKey, namedKeyOf } from '../access/caller.ts'
import type { Collection, Project } from '../access/project.ts'
import { isProvider } from '../db/endpoints.ts'

/** A project in the API's answer to a write. Without an instance its fields are absent. */
export function presentWrittenProject(project: Project) {
  const { description, instance, metadataScheme, readingOrder } = project
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
    ...(readingOrder !== null && { reading_order: [...readingOrder] }),
  }
}

/**
 * A project in the API's answer to a read. It never contains the endpoint or the key of its
 * instance.
 */
export const presentProject = (
  project: Project,
  { vectors, addedAt }: Pick<Collection, 'vectors' | 'addedAt'>,
) => ({
  ...presentWrittenProject(project),
  ...(project.instance !== undefined && {
    model: project.instance.model,
    dimensions: project.instance.dimensions,
  }),
  embeds_texts: project.instance !== undefined && isProvider(project.instance.endpoint),
  text_queries: project.textQueries,
  ...(project.textQueryBudget !== null && { text_query_budget: project.textQueryBudget }),
  embedding_count: vectors,
  created_at: project.createdAt.toISOString(),
  ...(vectors > 0 && addedAt !== null && { last_upload: addedAt.toISOString() }),
})

/** The caller and, if it is a named one, the key in the API's answer. */
export function presentCaller(caller: Caller) {
  const key = namedKeyOf(caller)
  return {
    ...(caller.kind === 'user' && { user_handle: caller.handle }),
    is_admin: caller.kind === 'admin',
    ...(key !== undefined && { key: presentKey(key) }),
  }
}

const presentKey = ({ handle, access, isLimited, expiresAt }: NamedKey) => ({
  key_handle: handle,
  access,
  is_limited: isLimited,
  ...(expiresAt !== null && { expires_at: expiresAt.toISOString() }),
})
