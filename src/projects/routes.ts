import { z } from '@hono/zod-openapi'
import { createdAt, createdJson } from '../http/created.ts'
import { deletion, deletionAnswer, deletionQuery } from '../http/deleted.ts'
import { createRouter, operation } from '../http/operation.ts'
import { newProjectParams, projectParams, userParams } from '../http/path-params.ts'
import { inNamespace, onProject } from '../http/permission.ts'
import { sameHandle } from '../http/same-handle.ts'
import { body, flag, json, offset, pageOf, pageSize } from '../http/schemas.ts'
import type { createProjects } from './projects.ts'
import {
  badScheme,
  exampleNewProject,
  exampleProject,
  exampleWrittenProject,
  NewProject,
  ProjectList,
  ProjectPatch,
  ProjectSchema,
  PutProject,
  WrittenProject,
} from './schemas.ts'

const params = projectParams
const tags = ['Projects']
const notFound = { 404: ['There is no such project', "Project 'alice/verses' not found"] } as const
const forbidden = { 403: "Another user's project" }
const noInstance = { 403: 'The namespace belongs to another user, or the instance is not shared' }
const noSharee = {
  404: ['There is no such user, or none of a handle in shared_with', "User 'alice' not found"],
} as const

const listProjects = operation(
  inNamespace('projects:list'),
  {
    method: 'get',
    path: '/v1/projects/{user}',
    operationId: 'listProjects',
    summary: 'List the projects of a user',
    description:
      "For the user and the administrator: the user's own projects. For others: those of them that are shared with the caller.",
    tags,
    request: {
      params: userParams,
      query: z.object({
        limit: pageSize('limit'),
        offset,
        include_shared: flag(
          'include_shared',
          'Also list the projects that are shared with the user, with the role in each.',
        ),
      }),
    },
    responses: {
      200: json(ProjectList, 'The projects, by owner and handle', {
        projects: [exampleProject],
        total_count: 1,
        limit: 10,
        offset: 0,
      }),
    },
  },
  {
    400: 'limit must be between 1 and 200',
    403: 'Nothing is shared with the caller',
    404: ['There is no such user', "User 'alice' not found"],
  },
)

const createProject = operation(
  inNamespace('projects:write'),
  {
    method: 'post',
    path: '/v1/projects/{user}',
    operationId: 'createProject',
    summary: 'Create a project',
    description:
      'A project holds embeddings of one instance, which the owner of the project owns or has a share of.',
    tags,
    request: {
      params: userParams,
      body: body(NewProject, exampleNewProject),
    },
    responses: { 201: createdJson(WrittenProject, 'The created project', exampleWrittenProject) },
  },
  {
    ...noInstance,
    ...noSharee,
    409: ['The handle is taken', "Project 'alice/verses' already exists"],
    ...badScheme,
  },
)

const getProject = operation(
  onProject('project:read'),
  {
    method: 'get',
    path: '/v1/projects/{user}/{project}',
    operationId: 'getProject',
    summary: 'Show a project',
    description: 'Needs no key when public_read is true.',
    tags,
    request: { params },
    responses: { 200: json(ProjectSchema, 'The project', exampleProject) },
  },
  { ...forbidden, ...notFound },
)

const putProject = operation(
  inNamespace('projects:write'),
  {
    method: 'put',
    path: '/v1/projects/{user}/{project}',
    operationId: 'putProject',
    summary: 'Create or replace a project',
    description:
      "Replaces the project's own fields; embeddings and shares stay. shared_with is used only when the project is created.",
    tags,
    request: { params: newProjectParams, body: body(PutProject, exampleNewProject) },
    responses: {
      200: json(WrittenProject, 'The replaced project', exampleWrittenProject),
      201: createdJson(WrittenProject, 'The created project', exampleWrittenProject),
    },
  },
  {
    ...noInstance,
    ...noSharee,
    409: [
      'The embeddings do not fit the instance',
      "Cannot change the instance: the project holds embeddings of 3 dimensions, but LLM service 'large-model' has 1536",
    ],
    ...badScheme,
  },
)

const patchProject = operation(
  onProject('project:manage'),
  {
    method: 'patch',
    path: '/v1/projects/{user}/{project}',
    operationId: 'patchProject',
    summary: 'Change a project',
    description: 'Omitted fields stay unchanged. Stored embeddings are not validated again.',
    tags,
    request: { params, body: body(ProjectPatch, { public_read: true }) },
    responses: { 200: json(ProjectSchema, 'The changed project', exampleProject) },
  },
  { ...forbidden, ...notFound, ...badScheme },
)

const ProjectDeletion = deletionAnswer({
  embedding_count: z.int(),
  share_count: z.int(),
}).openapi('ProjectDeletion')

const deleteProject = operation(
  onProject('project:manage'),
  {
    method: 'delete',
    path: '/v1/projects/{user}/{project}',
    operationId: 'deleteProject',
    summary: 'Delete a project and all its embeddings',
    description:
      'For the owner and the administrator. Cannot be undone. The answer counts what was deleted; with dry_run=true, it only counts what would be deleted.',
    tags,
    request: { params, query: deletionQuery },
    responses: {
      200: json(
        ProjectDeletion,
        'The project was deleted or, with dry_run=true, its contents counted',
        {
          message: "Project 'alice/verses' deleted",
          deleted: true,
          embedding_count: 3779,
          share_count: 2,
        },
      ),
    },
  },
  { ...forbidden, ...notFound },
)

function inputOf(fields: z.output<typeof PutProject>) {
  return {
    description: fields.description ?? null,
    publicRead: fields.public_read ?? false,
    metadataScheme: fields.metadataScheme || null,
    textQueries: fields.text_queries ?? 'off',
    textQueryBudget: fields.text_query_budget ?? null,
    instance: { owner: fields.instance_owner, handle: fields.instance_handle },
    shares: (fields.shared_with ?? []).map(({ user_handle, role }) => ({
      handle: user_handle,
      role,
    })),
  }
}

const changesOf = ({ public_read, metadataScheme, ...rest }: z.output<typeof ProjectPatch>) => ({
  description: rest.description,
  publicRead: public_read === null ? false : public_read,
  metadataScheme: metadataScheme === '' ? null : metadataScheme,
  textQueries: rest.text_queries === null ? 'off' : rest.text_queries,
  textQueryBudget: rest.text_query_budget,
})

export function projectRoutes(projects: ReturnType<typeof createProjects>) {
  const router = createRouter()
  router.openapi(listProjects, async (c) => {
    const { caller, owner } = c.get('granted')
    const { include_shared = false, ...page } = c.req.valid('query')
    return c.json(await projects.list(caller, owner, pageOf(page), include_shared), 200)
  })
  router.openapi(createProject, async (c) => {
    const { project_handle, ...fields } = c.req.valid('json')
    const { caller, owner } = c.get('granted')
    const project = await projects.create(caller, owner, project_handle, inputOf(fields))
    return c.json(project, createdAt(c, 'projects', owner.handle, project_handle))
  })
  router.openapi(getProject, (c) => c.json(projects.get(c.get('granted').project), 200))
  router.openapi(putProject, async (c) => {
    const { project_handle, ...fields } = c.req.valid('json')
    const path = c.req.valid('param')
    const handle = sameHandle('project_handle', path.project, project_handle)
    const { caller, owner } = c.get('granted')
    const { project, created } = await projects.put(caller, owner, handle, inputOf(fields))
    return c.json(project, created ? createdAt(c, 'projects', owner.handle, handle) : 200)
  })
  router.openapi(patchProject, async (c) => {
    const { caller, project } = c.get('granted')
    const { project_handle, ...fields } = c.req.valid('json')
    sameHandle('project_handle', project.handle, project_handle)
    return c.json(await projects.patch(caller, project, changesOf(fields)), 200)
  })
  router.openapi(deleteProject, async (c) => {
    const { project } = c.get('granted')
    const { dry_run: isDry = false } = c.req.valid('query')
    const gone = isDry ? await projects.countContents(project) : await projects.remove(project)
    const counts = { embedding_count: gone.embeddings, share_count: gone.shares }
    return c.json(deletion(`Project '${project.owner}/${project.handle}'`, isDry, counts), 200)
  })
  return router
}
