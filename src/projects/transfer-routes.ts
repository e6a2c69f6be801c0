import { z } from '@hono/zod-openapi'
import type { Project } from '../access/project.ts'
import { createRouter, operation } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import { body, json, text } from '../http/schemas.ts'

const transferOwnership = operation(
  onProject('project:manage'),
  {
    method: 'post',
    path: '/v1/projects/{user}/{project}/transfer-ownership',
    operationId: 'transferProject',
    summary: 'Give a project to another user',
    description:
      "Embeddings, instance and other users' shares stay. The old owner loses all access.",
    tags: ['Projects'],
    request: {
      params: projectParams,
      body: body(z.object({ new_owner_handle: text(100) }), { new_owner_handle: 'bob' }),
    },
    responses: {
      200: json(
        z.object({
          message: z.string(),
          old_owner: z.string(),
          new_owner: z.string(),
          project_handle: z.string(),
          new_path: z.string(),
        }),
        'The project has a new owner',
        {
          message: "Project 'alice/verses' transferred to 'bob'",
          old_owner: 'alice',
          new_owner: 'bob',
          project_handle: 'verses',
          new_path: '/v1/projects/bob/verses',
        },
      ),
    },
  },
  {
    403: "Another user's project",
    404: ['There is no such project or user', "Project 'alice/verses' not found"],
    409: ['The new owner has a project with this handle', "Project 'bob/verses' already exists"],
  },
)

/** @param transfer gives the project to the user with a handle */
export function transferRoutes(transfer: (project: Project, newOwner: string) => Promise<void>) {
  const router = createRouter()
  router.openapi(transferOwnership, async (c) => {
    const { new_owner_handle: newOwner } = c.req.valid('json')
    const { project } = c.get('granted')
    await transfer(project, newOwner)
    return c.json(
      {
        message: `Project '${project.owner}/${project.handle}' transferred to '${newOwner}'`,
        old_owner: project.owner,
        new_owner: newOwner,
        project_handle: project.handle,
        new_path: `/v1/projects/${newOwner}/${project.handle}`,
      },
      200,
    )
  })
  return router
}
