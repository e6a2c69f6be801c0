import { getTableColumns } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Project } from '../access/access.ts'
import { instances, projects, users } from '../db/schema.ts'

export const instanceOwners = alias(users, 'instance_owners')

/** What is selected to show a project: `users` is its owner, `instances` its instance. */
export const projectColumns = {
  project: getTableColumns(projects),
  owner: users.handle,
  instance: { instanceId: instances.instanceId, handle: instances.handle },
  instanceOwner: instanceOwners.handle,
}

export interface ProjectRow {
  readonly project: typeof projects.$inferSelect
  readonly owner: string
  readonly instance: { readonly instanceId: number; readonly handle: string } | null
  readonly instanceOwner: string | null
}

export const projectRow = ({ owner, instance, ...project }: Project): ProjectRow => ({
  project,
  owner,
  instance: instance ?? null,
  instanceOwner: instance?.owner ?? null,
})

/** A project as the API shows it when it was written; without an instance its fields are absent. */
export function toNewProject({ project, owner, instance, instanceOwner }: ProjectRow) {
  return {
    project_id: project.projectId,
    project_handle: project.handle,
    owner,
    ...(project.description !== null && { description: project.description }),
    ...(instance !== null &&
      instanceOwner !== null && {
        instance_owner: instanceOwner,
        instance_handle: instance.handle,
        instance_id: instance.instanceId,
      }),
    public_read: project.publicRead,
    ...(project.metadataScheme !== null && { metadataScheme: project.metadataScheme }),
  }
}

/** A project as the API shows it when it is read. */
export const toProject = (row: ProjectRow) => ({
  ...toNewProject(row),
  created_at: row.project.createdAt.toISOString(),
})
