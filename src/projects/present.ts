import type { Project } from '../access/project.ts'

/** A project in the API's answer to a write. Without an instance its fields are absent. */
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

/**
 * A project in the API's answer to a read. It never contains the endpoint or the key of its
 * instance.
 */
export const presentProject = (project: Project, vectors: number) => ({
  ...presentWrittenProject(project),
  ...(project.instance !== undefined && {
    model: project.instance.model,
    dimensions: project.instance.dimensions,
  }),
  text_queries: project.textQueries,
  ...(project.textQueryBudget !== null && { text_query_budget: project.textQueryBudget }),
  embedding_count: vectors,
  created_at: project.createdAt.toISOString(),
})
